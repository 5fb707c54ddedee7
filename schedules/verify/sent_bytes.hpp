// The lower bound on the bytes that all ranks together must send.
#pragma once

#include <cstdint>

#include "schedules/block_layout.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

// Returns a bound that holds for every algorithm. Every rank but one must send its contribution to
// a sum, and every rank but the owner of a copied block must receive that block. With p ranks and a
// vector of n bytes, the bound is therefore (p-1) n for bcast, reduce, reduce_scatter, allgather,
// scan and exscan, and twice that for allreduce. For gather, scatter and alltoall, each block that
// changes ranks counts once. For a barrier, the bound is 0, because its messages carry no data.
[[nodiscard]] std::uint64_t least_bytes_sent(const Problem& problem, const BlockLayout& layout);

}}  // namespace tutti::schedules
