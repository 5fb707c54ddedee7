// The fewest bytes that ranks must send in all.
#pragma once

#include <cstdint>

#include "schedules/block_layout.hpp"
#include "schedules/problem.hpp"

namespace tutti::inline schedules {

// Whatever the algorithm: every rank but one must give away what it contributes to a sum, and every
// rank but the owner must get what is copied. So (p-1) n for bcast, reduce, reduce_scatter and
// allgather, twice that for allreduce; for gather, scatter and alltoall each block that changes
// ranks once; nothing for a barrier, whose signs carry no data.
[[nodiscard]] std::uint64_t least_bytes_sent(const Problem& problem, const BlockLayout& layout);

}  // namespace tutti::inline schedules
