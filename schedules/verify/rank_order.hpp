// The order of a rank's operations, as far as the rank itself knows it. Each query takes constant
// time.
//
// At a rank, "A's end happens before B's start" is a partial order of the operations there: the
// transitive closure of the dependencies between them. The operations are divided into lanes, which
// are chains in which each operation comes after the previous one (a rank that sends, receives and
// reduces in rounds has two). Each operation then needs only a clock: for each lane, the number of
// its operations that come before. Clocks are sparse, so hundreds of messages in flight, each a
// lane of its own, cost nothing.
//
// This order is part of the event graph, and nearly all of it that a correct schedule needs. It
// does not include what a rank knows only by way of other ranks; EventSearch finds that.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "schedules/schedule.hpp"
#include "schedules/verify/rank_ops.hpp"

namespace tutti::inline schedules {

class RankOrder {
 public:
  RankOrder(const Schedule& schedule, const RankOps& ops);

  // Computes the order of `rank`, which replaces that of the previous rank.
  void build(Rank rank);

  // True if the operation at index `a` of the rank ends before the one at index `b` starts, as far
  // as the rank itself knows. If clocks would take too much memory, the rank knows only its
  // dependencies.
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const;

  // Number of dependencies, at the ranks built so far, that are implied by others at each rank that
  // both of their operations touch. All of them may be dropped at once: every rank's order stays
  // the same, so no message can overtake another. Meaningful only after every rank was built.
  [[nodiscard]] std::size_t redundant_dependencies() const;
  // The first redundant dependency: an operation, and the one that it need not wait for.
  [[nodiscard]] std::optional<std::pair<OpId, OpId>> first_redundant_dependency() const;

 private:
  struct Entry {
    std::uint32_t lane;
    std::uint32_t length;  // number of the lane's operations that come before
  };

  void append(std::uint32_t index, OpId id);
  void raise(std::uint32_t lane, std::uint32_t length);

  const Schedule& schedule_;
  const RankOps& ops_;
  Rank rank_ = 0;
  std::vector<std::uint32_t> lane_;      // by operation of the rank
  std::vector<std::uint32_t> position_;  // in its lane
  std::vector<std::uint32_t> lane_end_;  // by lane: index of its last operation
  std::vector<std::size_t> rows_;        // clocks, as rows of entries_ in ascending order of lanes
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> clock_;  // by lane; of the current operation
  std::vector<std::uint32_t> raised_;
  // By dependency, in the order of Schedule::predecessors: true if some rank needs it.
  std::vector<bool> needed_;
  std::vector<std::size_t> dependency_rows_;
};

}  // namespace tutti::inline schedules
