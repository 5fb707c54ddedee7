// Ring allgather over several rings in parallel; by default, over the ring in both directions.
//
// Source: see patterns/multi_ring.hpp.
#include "schedules/patterns/multi_ring.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

// All channels of a rank share its port, which is never idle.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  return kTwoChannels.of(problem) * (p - 1) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

}  // namespace

extern constinit const Algorithm multi_ring = MultiRingOf<false, true>::algorithm({
    .collective = Collective::allgather,
    .name = "multi_ring",
    .idea = "several rings in parallel, each with its part of every block; by default the ring in "
            "both directions",
    .source = "NCCL graph/connect.cc, device/all_gather.h",
    .cost = "C (p-1) alpha + (p-1)/p n beta with C channels",
    .exact_s = exact_s,
});

}}}  // namespace tutti::schedules::allgather
