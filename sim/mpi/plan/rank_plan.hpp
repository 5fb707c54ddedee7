// What one rank does in a schedule: the operations that touch it, and what it alone can know about
// their order. No MPI here.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "schedules/schedule.hpp"

namespace tutti::mpi {

// Position in the plan of a rank; ascending with OpId.
using Step = std::uint32_t;
inline constexpr Step kNoStep = 0xffffffffU;

enum class Role : std::uint8_t { send, receive, reduce, copy };

// Tags. The messages of an ordered pair of ranks are numbered in id order, which both ends see in
// the same way; a message's tag is its number modulo the tags there are. MPI matches messages of
// one pair and tag in the order in which they are posted, so number i must be posted before number
// i + tags, at both ends: the plan makes the later one wait until the earlier one is posted (not
// until it is done). That cannot block a schedule that could run: posts wait for posts of smaller
// ids only, as dependencies do, so performing operations in id order still meets every condition.
// In a schedule of fewer messages per pair than tags nothing waits. A run that follows another
// posts after it at every rank, so messages of different runs match in order too.
struct RankPlan {
  struct Entry {
    OpId id = kNoOp;
    Role role = Role::copy;
    Rank peer = 0;  // of send and receive
    int tag = 0;
    // What must happen here before this may start: dependencies that touch this rank must be over
    // at this rank (a send when its source may be reused, a receive when the data are there), and a
    // message of the same tag must be posted.
    std::uint32_t waits_for = 0;
    Step opens = kNoStep;  // the next message of the same pair and tag; it may go when this went
  };

  std::vector<Entry> entries;
  std::vector<std::uint32_t> rows;  // successors of step i: [rows[i], rows[i + 1])
  std::vector<Step> successor_steps;

  [[nodiscard]] Step size() const { return static_cast<Step>(entries.size()); }
  [[nodiscard]] std::span<const Step> successors(Step step) const {
    return std::span(successor_steps).subspan(rows[step], rows[step + 1] - rows[step]);
  }
};

// `tags` is how many tags there are, from 0 on: MPI_TAG_UB + 1. Throws InvariantError for none.
[[nodiscard]] RankPlan plan_of(const Schedule& schedule, Rank rank,
                               std::uint64_t tags = std::numeric_limits<int>::max());

}  // namespace tutti::mpi
