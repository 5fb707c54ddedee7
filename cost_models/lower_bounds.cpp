#include "cost_models/lower_bounds.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedules/patterns/arithmetic.hpp"

namespace tutti { inline namespace cost_models {

std::vector<std::uint64_t> part_bytes(const Problem& problem) {
  if (problem.collective != Collective::alltoallv && !problem.block_bytes.empty()) {
    return problem.block_bytes;
  }
  std::vector<std::uint64_t> bytes(problem.ranks);
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    const bool longer = rank < problem.elements() % problem.ranks;
    bytes[rank] = (problem.elements() / problem.ranks + (longer ? 1 : 0)) * problem.element_bytes;
  }
  return bytes;
}

namespace {

struct Counts {
  // Largest number of ranks that data of one rank must reach, directly or through others, or whose
  // data one rank needs.
  std::uint32_t others = 0;
  // Bytes through the busiest port.
  double sent_bytes = 0;
  // Bytes that the busiest rank reduces.
  double reduced_bytes = 0;
};

// Returns the counts for an alltoallv. Each count is the larger of the maximum over all senders and
// the maximum over all receivers. Empty blocks need no message.
Counts counts_of_pairs(const Problem& problem) {
  const std::uint32_t p = problem.ranks;
  const std::vector<std::uint64_t> even = part_bytes(problem);
  Counts most;
  for (Rank rank = 0; rank < p; ++rank) {
    Counts out;
    Counts in;
    for (Rank other = 0; other < p; ++other) {
      const auto block = [&](Rank from, Rank to) {
        return problem.block_bytes.empty() ? even[to]
                                           : problem.block_bytes[std::size_t{from} * p + to];
      };
      if (other != rank) {
        out.others += block(rank, other) > 0 ? 1 : 0;
        out.sent_bytes += static_cast<double>(block(rank, other));
        in.others += block(other, rank) > 0 ? 1 : 0;
        in.sent_bytes += static_cast<double>(block(other, rank));
      }
    }
    most.others = std::max({most.others, out.others, in.others});
    most.sent_bytes = std::max({most.sent_bytes, out.sent_bytes, in.sent_bytes});
  }
  return most;
}

Counts counts(const Problem& problem) {
  const std::uint32_t p = problem.ranks;
  const auto n = static_cast<double>(problem.bytes);
  const double share = (p - 1.0) / p * n;
  switch (problem.collective) {
    case Collective::allreduce:
      return {p - 1, 2 * share, share};
    case Collective::bcast:
      return {p - 1, n, 0};
    case Collective::reduce:
      return {p - 1, n, share};
    case Collective::barrier:
      return {p - 1, 0, 0};
    case Collective::scan:
    case Collective::exscan: {
      // The last rank's result needs p-1 reductions in scan, and p-2 in exscan, which leaves out
      // the rank's own operand. All p ranks can share these reductions.
      const double combined = p - (problem.collective == Collective::scan ? 1.0 : 2.0);
      return {p - 1, n, p > 1 ? combined / (p - 1.0) * share : 0};
    }
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
    case Collective::allgather:
    case Collective::allgatherv: {
      // The rank with the smallest part has to receive the most bytes (allgather) or to send the
      // most (reduce_scatter).
      const std::vector<std::uint64_t> part = part_bytes(problem);
      const std::uint64_t least = *std::min_element(part.begin(), part.end());
      const bool reduces_parts = reduces(problem.collective);
      return {p - 1, n - static_cast<double>(least), reduces_parts ? share : 0};
    }
    case Collective::alltoallv:
      return counts_of_pairs(problem);
    case Collective::alltoall:
    case Collective::gather:
    case Collective::gatherv:
    case Collective::scatter:
    case Collective::scatterv: {
      // No message is needed for an empty part or for a rank's own part.
      const std::vector<std::uint64_t> part = part_bytes(problem);
      const Rank own = problem.collective == Collective::alltoall ? 0 : problem.root;
      std::uint32_t others = 0;
      for (Rank rank = 0; rank < p; ++rank) {
        others += rank != own && part[rank] > 0 ? 1 : 0;
      }
      return {others, n - static_cast<double>(part[own]), 0};
    }
    case Collective::application:
      break;
  }
  return {};
}

}  // namespace

LowerBounds lower_bounds(const Problem& problem, const Prices& prices) {
  const Counts least = counts(problem);
  LowerBounds bounds;
  if (problem.ranks == 1 || (problem.bytes == 0 && problem.collective != Collective::barrier)) {
    return bounds;
  }
  // In the time alpha of one message, the number of ranks that have the data can at most double.
  bounds.latency_s = ceil_log2(least.others + 1) * prices.alpha_s;
  bounds.bandwidth_s = least.sent_bytes * prices.beta_s_per_byte;
  bounds.reduction_s = least.reduced_bytes * prices.gamma_s_per_byte;
  return bounds;
}

}}  // namespace tutti::cost_models
