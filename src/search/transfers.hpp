// Schedules from transfers that bring all blocks to all ranks: an allgather and a broadcast as they
// are, a reduce_scatter and a reduction in reverse, and an allreduce as both.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/builder.hpp"

namespace tutti { inline namespace search {

struct Transfer {
  Rank src = 0;
  Rank dst = 0;
  std::vector<std::uint32_t> blocks;
  double start_s = 0;
  double end_s = 0;
};

// True if the problem's collective can be written as transfers, and it has at most 512 ranks.
[[nodiscard]] bool can_be_transfers(const Problem& problem);

// True if all transfers go backwards: from dst to src.
[[nodiscard]] bool only_backwards(Collective collective);

// Returns the schedule with these transfers, which are in the order of their starts. The vector has
// `blocks` blocks. At the start, the root has all of them if the collective has a root; otherwise
// each rank has as many as the others.
[[nodiscard]] Schedule schedule_of(const Problem& problem, std::uint32_t blocks,
                                   const std::vector<Transfer>& transfers, Detail detail);

}}  // namespace tutti::search
