// What one rank knows of the order of its own operations, in constant time per question.
//
// At a rank, "A's end happens before B's start" is a partial order of the operations there: the
// closure of the dependencies between them. Its operations are laid on lanes, chains in which each
// comes after the one before (a rank that sends, receives and reduces in rounds has two). Each
// operation then needs, for each lane, only how much of it lies before: a clock. Clocks are sparse,
// so hundreds of messages in flight, each a lane of its own, cost nothing.
//
// This order is part of the event graph, and nearly all of it that a correct schedule needs. What a
// rank knows only by way of other ranks is not in it: EventSearch finds that.
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

  // Computes the order of one rank, in place of the last one.
  void build(Rank rank);

  // The operation at index `a` of the rank ends before the one at index `b` starts, as far as the
  // rank itself knows. When clocks would take too much memory, dependencies are all it knows.
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const;

  // Dependencies of the ranks built so far that are implied by others at each rank that both of
  // their operations touch. All of them may be dropped at once: every rank's order stays the same,
  // so no message can overtake. Meaningful when every rank was built.
  [[nodiscard]] std::size_t redundant_dependencies() const;
  // The first of them: an operation, and the one that it need not wait for.
  [[nodiscard]] std::optional<std::pair<OpId, OpId>> first_redundant_dependency() const;

 private:
  struct Entry {
    std::uint32_t lane;
    std::uint32_t length;  // so many of the lane's operations lie before
  };

  void append(std::uint32_t index, OpId id);
  void raise(std::uint32_t lane, std::uint32_t length);

  const Schedule& schedule_;
  const RankOps& ops_;
  Rank rank_ = 0;
  std::vector<std::uint32_t> lane_;      // of each operation of the rank
  std::vector<std::uint32_t> position_;  // in its lane
  std::vector<std::uint32_t> lane_end_;  // of each lane: its last operation's index
  std::vector<std::size_t> rows_;        // clocks, as rows of entries_ in ascending order of lanes
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> clock_;  // of the operation at work: by lane
  std::vector<std::uint32_t> raised_;
  // By dependency, in the order of Schedule::predecessors: some rank needs it.
  std::vector<bool> needed_;
  std::vector<std::size_t> dependency_rows_;
};

}  // namespace tutti::inline schedules
