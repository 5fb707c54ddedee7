// The schedule of a whole step.
//
// Each rank has a stream of computing, and a stream for each group, as in CUDA: the operations of a
// stream follow each other. A collective waits for what its rank computes before it, and for the
// collectives of its group before it. Then computing goes on at once, if the collective runs beside
// it, and otherwise when the collective is over at this rank.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "schedules/schedule_union.hpp"
#include "src/steps/description.hpp"

namespace tutti { inline namespace steps {

// The parts of a call; null: nothing happens, because the group has a single rank.
using CallParts = std::vector<std::shared_ptr<const UnionPart>>;

inline constexpr std::uint32_t kNoCollective = 0xffffffffU;

struct StepSchedule {
  Schedule schedule;
  // By collective, in the order in which they begin, and rank: the operation after which the
  // collective begins at the rank, and the one with which it ends; kNoOp if there is none.
  std::vector<OpId> begin_after;
  std::vector<OpId> ends;
  // By computing statement, in the order in which they are carried out, and rank: the last
  // operation; kNoOp at ranks that do not take part.
  std::vector<OpId> computed;
  // By collective: the one before it in the stream of its group; kNoCollective if it is the first,
  // and for messages between stages, which have no stream.
  std::vector<std::uint32_t> previous;
  // By action: the collective that it begins or waits for; kNoCollective if there is none.
  std::vector<std::uint32_t> collective_of;
  // By group: the last collective in its stream; kNoCollective if there is none.
  std::vector<std::uint32_t> last_of_group;
};

// `parts` has those of each of the step's calls.
[[nodiscard]] StepSchedule schedule_of(const StepDescription& step, const CallParts& parts);

// Returns the schedule of a call alone, on the first communicator of its group.
[[nodiscard]] Schedule schedule_alone(const StepDescription& step, const StepCall& call,
                                      const UnionPart& part);

// Number of operations of a calculation.
[[nodiscard]] constexpr OpId operations_of(std::uint64_t picoseconds) {
  return picoseconds == 0
             ? 1
             : static_cast<OpId>((picoseconds + kMaxMessageBytes - 1) / kMaxMessageBytes);
}

}}  // namespace tutti::steps
