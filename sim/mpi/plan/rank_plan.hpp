// The part of a schedule that one rank executes: the operations that involve the rank, and those of
// their dependencies that the rank can observe. Does not use MPI.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "schedules/schedule.hpp"

namespace tutti::mpi {

// Position of an operation in the plan of its rank. Plans are in the order of OpId.
using Step = std::uint32_t;
inline constexpr Step kNoStep = 0xffffffffU;

enum class Role : std::uint8_t { send, receive, reduce, copy };

// Tags: The messages of an ordered pair of ranks are numbered in id order, which is the same at
// both ends. A message's tag is its number modulo T, the number of tags. MPI matches messages of
// the same pair and tag in the order in which they are posted. So both ends must post message i
// before message i + T: the plan makes the later message wait until the earlier one is posted (not
// until it is done). These waits cannot cause a deadlock, because a message waits only for messages
// with smaller ids, as in dependencies. So executing operations in id order still satisfies every
// condition. If a pair has at most T messages, no message waits. Each rank posts the messages of a
// run after those of earlier runs, so messages of different runs match in order, too.
struct RankPlan {
  struct Entry {
    OpId id = kNoOp;
    Role role = Role::copy;
    Rank peer = 0;  // only for sends and receives
    int tag = 0;
    // Number of conditions for the start of this step. Each dependency that involves this rank must
    // have ended at this rank (a send ends when its source may be reused, a receive when the data
    // have arrived). The previous message with the same tag must be posted.
    std::uint32_t waits_for = 0;
    Step opens = kNoStep;  // next message of the same pair and tag; it waits for this one
  };

  std::vector<Entry> entries;
  // The successors of step i are successor_steps[rows[i]] to successor_steps[rows[i + 1] - 1].
  std::vector<std::uint32_t> rows;
  std::vector<Step> successor_steps;

  [[nodiscard]] Step size() const { return static_cast<Step>(entries.size()); }
  [[nodiscard]] std::span<const Step> successors(Step step) const {
    return std::span(successor_steps).subspan(rows[step], rows[step + 1] - rows[step]);
  }
};

// Returns the plan of `rank`. The tags are 0 to `tags` - 1; MPI allows MPI_TAG_UB + 1 tags. Throws
// InvariantError if `tags` is 0.
[[nodiscard]] RankPlan plan_of(const Schedule& schedule, Rank rank,
                               std::uint64_t tags = std::numeric_limits<int>::max());

}  // namespace tutti::mpi
