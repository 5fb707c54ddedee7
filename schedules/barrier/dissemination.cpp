// Dissemination barrier: at level l rank r sends signals to the ranks r + K^l, r + 2 K^l, ..., r +
// (K - 1) K^l, all at once, for any p. K is --radix. With K = 2, the default, each rank sends one
// signal in each of ceil(lg p) rounds.
//
// Source: Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization", 1988; Open
// MPI's barrier_intra_bruck is the same. For K > 2 MPICH 4.1,
// src/mpi/coll/barrier/barrier_intra_k_dissemination.c (with fewer ranks than K, K is p). If p is
// not a power of K, the last level wraps around and repeats signals that have been sent before,
// both in MPICH and here. But here, no rank sends to itself.
#include <algorithm>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/kary_hypercube.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules { namespace barrier {

namespace {

// Returns the distances over which every rank sends, by level.
std::vector<std::vector<std::uint32_t>> distances_of(const Problem& problem) {
  const std::uint64_t p = problem.ranks;
  const std::uint64_t radix =
      std::min(std::uint64_t{kRadix2.of(problem)}, std::max(p, std::uint64_t{2}));
  std::vector<std::vector<std::uint32_t>> levels;
  for (std::uint64_t near = 1; near < p; near *= radix) {
    std::vector<std::uint32_t>& level = levels.emplace_back();
    for (std::uint64_t j = 1; j < radix; ++j) {
      if (const std::uint64_t distance = j * near % p; distance != 0) {
        level.push_back(static_cast<std::uint32_t>(distance));
      }
    }
  }
  return levels;
}

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  double signs = 0;
  for (const std::vector<std::uint32_t>& level : distances_of(problem)) {
    signs += static_cast<double>(level.size());
  }
  return signs * prices.alpha_s;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::vector<std::vector<std::uint32_t>> levels = distances_of(problem);
  std::size_t signs = 0;
  std::size_t dependencies = 0;
  std::size_t most = 0;
  std::size_t before = 0;
  for (const std::vector<std::uint32_t>& level : levels) {
    signs += level.size();
    dependencies += level.size() * 4 * before;
    before = level.size();
    most = std::max(most, before);
  }
  builder.reserve(signs * p, dependencies * p);
  Phases phases(builder, 2 * most);
  for (const std::vector<std::uint32_t>& level : levels) {
    phases.next();
    for (std::uint32_t j = 0; j < level.size(); ++j) {
      for (const Rank rank : phases.emitted_ranks()) {
        const auto to = static_cast<Rank>((std::uint64_t{rank} + level[j]) % p);
        phases.comm(rank, to, {{0, 1}, kWork, {Buffer::scratch, j}}, j);
      }
    }
  }
}

}  // namespace

extern const Algorithm dissemination{
    .collective = Collective::barrier,
    .name = "dissemination",
    .idea = "in round l rank r sends signals to the ranks r + j K^l, j < K",
    .source = "Hensgen, Finkel and Manber, 1988; MPICH 4.1 barrier_intra_k_dissemination",
    .cost = "ceil(lg p) alpha for K = 2; m (K - 1) alpha for p = K^m",
    .options = bit(Option::radix),
    .own_numbers = {&kRadix2, 1},
    .refusal = refuse_radix_1,
    .limits = kRadix1,
    .layout = one_block,
    .exact_s = exact_s,
    .symmetry = rotation,
    .emit = emit,
};

}}}  // namespace tutti::schedules::barrier
