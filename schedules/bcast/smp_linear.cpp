// SMP linear broadcast: rank 0 gets the vector from the root. Then the vector travels in segments
// along the first cores of the nodes, and inside each node along its cores. Each node has C cores.
//
// Source: [schedule document] ("SMP linear with C cores per SMP"). Here, unlike in the document,
// the N ranks occupy ceil(N/C) nodes, the last of which may be partly filled; no rank outside 0 to
// N - 1 is used; and rank 0 waits for the transfer from the root. A root other than rank 0 receives
// the vector again on its way down the chain: its place in the chain is not skipped.
#include <array>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/segmented_tree.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

std::optional<Sentence> refusal(const Problem& problem) {
  if (problem.ranks_per_node == 0) {
    return "$cores_per_node 0: must be at least 1";
  }
  return refuse_pipeline(problem);
}

constexpr std::array<std::string_view, 2> kLimits{"more segments than can be numbered",
                                                  "a $segment larger than the vector"};

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::uint32_t cores = problem.ranks_per_node;
  const std::size_t messages = std::size_t{p - 1} * builder.blocks() + (problem.root != 0 ? 1 : 0);
  builder.reserve(messages, 2 * messages);
  OpId from_root = kNoOp;
  if (problem.root != 0) {
    from_root = builder.comm({0}, problem.root, 0, {{0, builder.blocks()}, kWork, kWork}, {});
  }
  // The level of a message is 1 plus the number of hops from rank 0 to the sender: first from node
  // to node, then from core to core.
  std::vector<OpId> arrival(p, kNoOp);
  const auto pass = [&](Rank from, Rank to, std::uint32_t segment) {
    const std::uint32_t level = 1 + from / cores + from % cores;
    // The root must have sent its vector before the chain overwrites it.
    arrival[to] = builder.comm(
        {level, segment}, from, to, {{segment, 1}, kWork, kWork},
        std::array{from == 0 ? from_root : arrival[from], to == problem.root ? from_root : kNoOp});
  };
  for (std::uint32_t segment = 0; segment < builder.blocks(); ++segment) {
    for (Rank rank = 0; rank < p; ++rank) {
      if (rank % cores == 0 && rank + cores < p) {
        pass(rank, rank + cores, segment);
      }
      if ((rank + 1) % cores != 0 && rank + 1 < p) {
        pass(rank, rank + 1, segment);
      }
    }
  }
}

}  // namespace

extern const Algorithm smp_linear{
    .collective = Collective::bcast,
    .name = "smp_linear",
    .idea =
        "segments travel from node to node along the first cores, and inside each node along its "
        "cores",
    .source = "[schedule document] (SMP linear)",
    .cost = "",
    .options = bit(Option::segment) | bit(Option::ranks_per_node),
    .refusal = refusal,
    .limits = kLimits,
    .layout = segment_layout,
    .emit = emit,
};

}}}  // namespace tutti::schedules::bcast
