// NCCL's reduce: in every channel, chunks go around the ring from the rank after the root to the
// root, and each rank adds its own.
//
// Source: NCCL 2.30.7, src/device/reduce.h (see schedules/patterns/nccl_ring.hpp).
#include "schedules/patterns/nccl_ring.hpp"

#include <algorithm>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

// The chain ends at the root, so it is in rank order if the ring is and the root is the last rank.
bool keeps_order(const Problem& problem) {
  if (problem.root + 1 != problem.ranks || NcclChain::refusal(problem)) {
    return false;
  }
  const NcclChannels channels(problem);
  // A channel without elements sends nothing.
  const std::uint64_t busy =
      std::clamp<std::uint64_t>(problem.elements(), 1, kNcclRings.of(problem));
  for (std::uint32_t ring = 0; ring < std::min<std::uint64_t>(channels.different(), busy); ++ring) {
    if (!std::ranges::is_sorted(channels.ring(ring))) {
      return false;
    }
  }
  return true;
}

}  // namespace

extern constinit const Algorithm nccl_ring = nccl_ring_algorithm<NcclChain>({
    .collective = Collective::reduce,
    .name = "nccl_ring",
    .idea = "every channel reduces its share of the vector around a ring in chunks; the rings pass "
            "the GPUs of a node in NCCL's orders",
    .source = "NCCL graph/connect.cc, device/reduce.h",
    .cost = "",
    .keeps_order = keeps_order,
    .order_kept = "root p-1, if every ring passes the ranks in their order",
});

}}}  // namespace tutti::schedules::reduce
