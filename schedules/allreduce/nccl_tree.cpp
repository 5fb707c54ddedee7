// NCCL's tree: each channel sums up its part of the vector over a tree of all ranks, chunk by
// chunk, and sends the sums back down. The GPUs of a node are a chain, and the nodes a binary tree.
// The channels of the first half use another tree over the nodes than those of the second half: an
// inner node of one tree is a leaf of the other.
//
// Source: see patterns/nccl_tree.hpp and patterns/nccl_chunks.hpp.
#include "schedules/patterns/nccl_tree.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/nccl_chunks.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

ChannelParts parts_of(const Problem& problem) { return {problem, kNcclTrees.of(problem)}; }

std::uint64_t chunk_elements(const Problem& problem, const ChannelParts& parts) {
  return nccl_tree_chunk(problem, parts.elements(0));
}

std::optional<Sentence> refusal(const Problem& problem) {
  if (std::optional<Sentence> why = NcclChannels::refusal(problem)) {
    return why;
  }
  const ChannelParts parts = parts_of(problem);
  const std::uint64_t each = chunk_elements(problem, parts);
  const std::uint64_t chunks = parts.count() * segment_count(parts.elements(0), each);
  if (chunks > kMostNcclChunks) {
    return sentence(
        "chunks of {} bytes cut the vector into about {} chunks, more than {}; use a larger "
        "$segment",
        each * problem.element_bytes, chunks, kMostNcclChunks);
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 2> kLimits{NcclChannels::kLimits[0],
                                                  "more segments than can be numbered"};

// The blocks are the chunks of the first channel, then those of the second one, and so on.
BlockLayout layout(const Problem& problem) {
  const ChannelParts parts = parts_of(problem);
  const std::uint64_t each = chunk_elements(problem, parts);
  std::vector<std::uint64_t> sizes;
  for (std::uint32_t channel = 0; channel < parts.count(); ++channel) {
    std::uint64_t left = parts.elements(channel);
    do {
      sizes.push_back(std::min(left, each));
      left -= sizes.back();
    } while (left > 0);
  }
  return BlockLayout::irregular(sizes, problem.element_bytes);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const NcclChannels channels(problem);
  const ChannelParts parts = parts_of(problem);
  const std::uint64_t each = chunk_elements(problem, parts);
  const std::uint32_t all = kNcclTrees.of(problem);
  // NCCL numbers the channels of the second tree after those of the first one, of which there is
  // one for each card. A call with fewer channels has the first tree only.
  const std::uint32_t half = std::max(all - all / 2, std::min(all, channels.different()));
  const std::uint32_t steps = nccl_tree_steps(problem, each);
  const std::size_t edges = std::size_t{problem.ranks - 1} * builder.blocks();
  builder.reserve(NcclTreeMoves::kOps * edges, NcclTreeMoves::kDependencies * edges);
  // Channel c of either half has the tree with the number c modulo `different` of that half.
  const std::uint32_t different = channels.different();
  std::vector<NcclTree> trees;
  for (std::uint32_t tree = 0; tree < 2 * different; ++tree) {
    trees.push_back(nccl_tree(channels, tree % different, tree >= different, problem.node_links));
  }
  std::vector<NcclTreeMoves> moves;
  std::vector<std::uint32_t> first_block{0};
  for (std::uint32_t channel = 0; channel < parts.count(); ++channel) {
    const bool second = channel >= half;
    const std::uint32_t number = (second ? channel - half : channel) % different;
    moves.emplace_back(builder, trees[number + (second ? different : 0)], steps,
                       nccl_messages_at_once(problem, steps));
    first_block.push_back(first_block.back() +
                          static_cast<std::uint32_t>(segment_count(parts.elements(channel), each)));
  }
  const std::uint32_t chunks = first_block[1];
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::uint32_t channel = 0; channel < parts.count(); ++channel) {
      const std::uint32_t block = first_block[channel] + chunk;
      if (block < first_block[channel + 1]) {
        moves[channel].begin(chunk, block, 0);
        moves[channel].up();
        moves[channel].down();
      }
    }
  }
}

constexpr std::array kNumbers{kNcclTrees, kNcclCards};

}  // namespace

extern const Algorithm nccl_tree{
    .collective = Collective::allreduce,
    .name = "nccl_tree",
    .idea =
        "each channel sends chunks up a tree and back down; the GPUs of a node are a chain, and "
        "the nodes one of two binary trees",
    .source = "NCCL 2.30.7 graph/trees.cc, graph/connect.cc, device/all_reduce.h runTreeSplit",
    .cost = "",
    .options = bit(Option::ranks_per_node) | bit(Option::cards) | bit(Option::channels) |
               bit(Option::segment) | bit(Option::protocol) | bit(Option::node_links),
    .own_numbers = kNumbers,
    .refusal = refusal,
    .limits = kLimits,
    .remark = "NCCL cuts the vector between channels at multiples of 16 KiB, with LL of 4 KiB",
    .layout = layout,
    .emit = emit,
};

}}}  // namespace tutti::schedules::allreduce
