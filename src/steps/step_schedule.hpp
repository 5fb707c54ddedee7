// The schedule of a whole step.
//
// Each rank has a stream of computing, and a stream for each group, as in CUDA: the operations of a
// stream follow each other. A collective waits for what its rank computes before it, and for the
// collectives of its group before it. Then computing goes on at once, if the collective runs beside
// it, and otherwise when the collective is over at this rank.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedules/schedule_union.hpp"
#include "sim/engine.hpp"
#include "src/steps/call_parts.hpp"
#include "src/steps/description.hpp"
#include "src/steps/places.hpp"

namespace tutti { inline namespace steps {

inline constexpr std::uint32_t kNoCollective = 0xffffffffU;

// The begin or the end of a collective at a rank.
struct StreamMark {
  OpId op = kNoOp;
  std::uint32_t group = 0;
  bool begins = true;
};

struct StepSchedule {
  std::uint32_t places = 0;  // that are simulated
  // By collective, in the order in which they begin, and place: the operation after which the
  // collective begins at the rank, and the one with which it ends; kNoOp if there is none.
  std::vector<OpId> begin_after;
  std::vector<OpId> ends;
  // By computing statement, in the order in which they are carried out, and place: the last
  // operation; kNoOp at ranks that do not take part.
  std::vector<OpId> computed;
  // By collective: the one before it in the stream of its group; kNoCollective if it is the first,
  // and for messages between stages, which have no stream.
  std::vector<std::uint32_t> previous;
  // By action: the collective that it begins or waits for; kNoCollective if there is none.
  std::vector<std::uint32_t> collective_of;
  // By group: the last collective in its stream; kNoCollective if there is none.
  std::vector<std::uint32_t> last_of_group;
  // By action: its first operation. One more for the end.
  std::vector<OpId> first_ops;
  // Operations without duration between which a collective runs beside computing, if that makes
  // computing slower.
  std::vector<StreamMark> marks;
};

// Returns how computing depends on the marked operations of a schedule with `ops` operations; null
// if it does not.
[[nodiscard]] std::shared_ptr<const SlowComputing> slow_computing(const StepDescription& step,
                                                                  const StepSchedule& schedule,
                                                                  OpId ops);

// Adds this for one of several steps in a schedule, which is carried out once for each of
// `schedules`, one after the other.
void add_slow_computing(const StepDescription& step, std::span<const StepSchedule> schedules,
                        OpId ops, SlowComputing& into);

// The schedule of one call at the simulated places.
struct PlacedCall {
  SharedPart part;      // null: nothing happens, because the group has a single rank
  bool across = false;  // true if the part is one of classes
};

// Returns the schedules of the step's calls at the places; nothing if some call is not the same in
// all replicas.
[[nodiscard]] std::optional<std::vector<PlacedCall>> placed_calls(const StepDescription& step,
                                                                  const StepPlaces& places,
                                                                  CallParts& parts);

// Switches of a union for the calls of communicators. A call has the same ones each time.
class CallSwitches {
 public:
  // Returns the number of the first one.
  [[nodiscard]] std::uint32_t first(std::uint32_t call, std::uint32_t communicator,
                                    const UnionPart& part, ScheduleUnion& into);

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> first_;
};

// Appends the step to a union whose ranks are the places.
[[nodiscard]] StepSchedule schedule_of(const StepDescription& step, const StepPlaces& places,
                                       const std::vector<PlacedCall>& calls, ScheduleUnion& into);
// The same for a step that follows something else. at[place] is the operation after which the place
// begins the step; kNoOp if it begins at once. It becomes the one with which the step, and all its
// collectives, are over there.
[[nodiscard]] StepSchedule schedule_of(const StepDescription& step, const StepPlaces& places,
                                       const std::vector<PlacedCall>& calls, ScheduleUnion& into,
                                       std::vector<OpId>& at);

// Number of operations of a calculation.
[[nodiscard]] constexpr OpId operations_of(std::uint64_t picoseconds) {
  return picoseconds == 0
             ? 1
             : static_cast<OpId>((picoseconds + kMaxMessageBytes - 1) / kMaxMessageBytes);
}

}}  // namespace tutti::steps
