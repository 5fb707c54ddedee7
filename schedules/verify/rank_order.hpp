// The order of a rank's operations, as far as the rank itself knows it. Each query takes a single
// binary search.
//
// "A ends at the rank before B starts there" is a partial order of the rank's operations: the
// transitive closure of the dependencies between them. The operations are divided into lanes:
// chains in which each operation depends on the previous one. (A rank that sends, receives and
// reduces in rounds has two lanes.) An operation then needs only a clock: for each lane, the number
// of the lane's operations that come before it. Clocks are sparse, so hundreds of messages in
// flight, each in its own lane, cost little.
//
// This order is the part of the event graph that proves most correct schedules. It does not include
// what follows only from messages between other ranks; EventSearch finds that.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "schedules/schedule.hpp"
#include "schedules/verify/rank_ops.hpp"

namespace tutti { inline namespace schedules {

class RankOrder {
 public:
  RankOrder(const Schedule& schedule, const RankOps& ops);

  // Computes the order of the operations of `rank`, which replaces the order of the previous rank.
  void build(Rank rank);

  // True if the operation at index `a` of the rank ends before the one at index `b` starts, as far
  // as the rank itself knows. If clocks would need too much memory, only direct dependencies count.
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const;

  // Number of dependencies that follow from others at each rank that both operations touch. All of
  // these dependencies may be dropped at once: every rank's order stays the same, so no message can
  // overtake another. Valid only after build() was called for every rank.
  [[nodiscard]] std::size_t redundant_dependencies() const;
  // The first redundant dependency: an operation, and the operation for which it need not wait.
  [[nodiscard]] std::optional<std::pair<OpId, OpId>> first_redundant_dependency() const;

 private:
  struct Entry {
    std::uint32_t lane;
    // Number of the lane's operations that come before the clock's operation.
    std::uint32_t length;
  };

  void append(std::uint32_t index, OpId id);
  void raise(std::uint32_t lane, std::uint32_t length);

  const Schedule& schedule_;
  const RankOps& ops_;
  Rank rank_ = 0;
  // The lane of each operation of the rank.
  std::vector<std::uint32_t> lane_;
  // The position of each operation in its lane.
  std::vector<std::uint32_t> position_;
  // The index of the last operation of each lane.
  std::vector<std::uint32_t> lane_end_;
  // Start of each operation's clock in entries_. The entries of a clock are in ascending order of
  // lanes.
  std::vector<std::size_t> rows_;
  std::vector<Entry> entries_;
  // The clock of the current operation, with an entry for every lane.
  std::vector<std::uint32_t> clock_;
  std::vector<std::uint32_t> raised_;
  // By dependency, in the order of Schedule::predecessors: true if some rank needs it.
  std::vector<bool> needed_;
  std::vector<std::size_t> dependency_rows_;
};

}}  // namespace tutti::schedules
