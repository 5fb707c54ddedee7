#include "schedules/verify/sent_bytes.hpp"

namespace tutti { inline namespace schedules {

std::uint64_t least_bytes_sent(const Problem& problem, const BlockLayout& layout) {
  const std::uint64_t others = problem.ranks - 1;
  const auto part_bytes = [&](Rank owner) {
    const std::uint32_t blocks = layout.blocks() / problem.ranks;
    return layout.run_bytes(owner * blocks, blocks);
  };
  switch (problem.collective) {
    case Collective::bcast:
    case Collective::reduce:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::scan:
    case Collective::exscan:
      return others * layout.bytes();
    case Collective::allreduce:
      return 2 * others * layout.bytes();
    case Collective::gather:
    case Collective::scatter:
    case Collective::gatherv:
    case Collective::scatterv:
      return layout.bytes() - part_bytes(problem.root);
    // Parts are numbered by the distance to their receiver, so part 0 does not leave its rank.
    case Collective::alltoall:
      return problem.ranks * (layout.bytes() - part_bytes(0));
    case Collective::alltoallv: {
      std::uint64_t own = 0;
      const std::uint32_t of_pair = layout.blocks() / problem.ranks / problem.ranks;
      for (Rank rank = 0; rank < problem.ranks; ++rank) {
        own += layout.run_bytes((rank * problem.ranks + rank) * of_pair, of_pair);
      }
      return layout.bytes() - own;
    }
    case Collective::barrier:
    case Collective::application:
      return 0;
  }
  return 0;
}

}}  // namespace tutti::schedules
