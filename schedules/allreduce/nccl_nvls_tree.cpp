// NCCL's NVLS tree: in each node, the GPUs with a card are heads. A head loads the sum of its share
// of the node's vectors through the switch of the node. The heads with the same number of all nodes
// add these sums up over a binary tree, chunk by chunk, and send the result back down. A head that
// has a result stores it at all GPUs of its node through the switch. Channels with an even number
// use another tree over the nodes than those with an odd number. On a single node, this is NVLS,
// where every GPU is a head. With one GPU per node, no switch takes part.
//
// Source: NCCL 2.30.7, src/graph/connect.cc (connectNvls), src/device/all_reduce.h (NVLS and NVLS
// tree); see also patterns/nccl_tree.hpp, nccl_chunks.hpp and nvls.hpp.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/nccl_chunks.hpp"
#include "schedules/patterns/nccl_tree.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

std::uint32_t trees_over_nodes(const Problem& problem) {
  return problem.ranks > problem.ranks_per_node ? 2 : 1;
}
constexpr DefaultedNumber kNvlsTrees{Option::channels, &Problem::channels,         0,
                                     trees_over_nodes, "2, or 1 on a single node", true};

ChannelParts parts_of(const Problem& problem) { return {problem, kNvlsTrees.of(problem)}; }

// Returns the GPUs of a node that are heads.
std::vector<std::uint32_t> heads_of(const NcclChannels& channels) {
  std::vector<std::uint32_t> heads(channels.nodes() == 1 ? channels.gpus() : channels.different());
  for (std::uint32_t head = 0; head < heads.size(); ++head) {
    heads[head] = channels.nodes() == 1 ? head : channels.entry(head);
  }
  return heads;
}

// The chunks of a channel's part. A loop moves a chunk of each head.
class Loops {
 public:
  Loops(const Problem& problem, const ChannelParts& parts, std::size_t heads)
      : heads_(heads),
        each_(nccl_nvls_chunk(problem, parts.elements(0))),
        // The chunks of the last loop are multiples of 16 bytes.
        grain_(std::max<std::uint64_t>(1, 16 / problem.element_bytes)) {}

  [[nodiscard]] std::uint64_t each() const { return each_; }
  [[nodiscard]] std::uint64_t count(std::uint64_t part) const {
    return segment_count(part, heads_ * each_);
  }
  // Returns the sizes of the chunks of a loop that has `left` elements before it. Heads without
  // data are left out.
  [[nodiscard]] std::vector<std::uint64_t> sizes(std::uint64_t left) const {
    std::uint64_t each = each_;
    if (left < heads_ * each_) {
      const std::uint64_t share = (left + heads_ - 1) / heads_;
      each = std::min(each_, std::max<std::uint64_t>(1, (share + grain_ - 1) / grain_) * grain_);
    }
    std::vector<std::uint64_t> found;
    do {
      found.push_back(std::min(left, each));
      left -= found.back();
    } while (left > 0 && found.size() < heads_);
    return found;
  }

 private:
  std::uint64_t heads_;
  std::uint64_t each_;
  std::uint64_t grain_;
};

std::optional<Sentence> refusal(const Problem& problem) {
  if (std::optional<Sentence> why = NcclChannels::refusal(problem)) {
    return why;
  }
  const ChannelParts parts = parts_of(problem);
  const std::size_t heads = heads_of(NcclChannels(problem)).size();
  const Loops loops(problem, parts, heads);
  const std::uint64_t chunks = parts.count() * heads * loops.count(parts.elements(0));
  if (chunks > kMostNcclChunks) {
    return sentence(
        "chunks of {} bytes cut the vector into about {} chunks, more than {}; use a larger "
        "$segment",
        loops.each() * problem.element_bytes, chunks, kMostNcclChunks);
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 2> kLimits{NcclChannels::kLimits[0],
                                                  "more segments than can be numbered"};

// Calls visit(channel, loop, sizes) for each loop of each channel, in the order of the blocks.
template <typename Visit>
void for_each_loop(const ChannelParts& parts, const Loops& loops, Visit&& visit) {
  for (std::uint32_t channel = 0; channel < parts.count(); ++channel) {
    std::uint64_t left = parts.elements(channel);
    const std::uint64_t count = loops.count(left);
    for (std::uint32_t loop = 0; loop < count; ++loop) {
      const std::vector<std::uint64_t> sizes = loops.sizes(left);
      visit(channel, loop, sizes);
      left -= std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    }
  }
}

BlockLayout layout(const Problem& problem) {
  const ChannelParts parts = parts_of(problem);
  const Loops loops(problem, parts, heads_of(NcclChannels(problem)).size());
  std::vector<std::uint64_t> all;
  for_each_loop(parts, loops,
                [&](std::uint32_t, std::uint32_t, const std::vector<std::uint64_t>& sizes) {
                  all.insert(all.end(), sizes.begin(), sizes.end());
                });
  return BlockLayout::irregular(all, problem.element_bytes);
}

std::uint32_t switches(const Problem& problem) {
  const NcclChannels channels(problem);
  return channels.gpus() > 1 ? channels.nodes() : 0;
}

// Moves the chunks of one channel and one head.
class HeadMoves {
 public:
  HeadMoves(const Problem& problem, ScheduleBuilder& builder, const NcclChannels& channels,
            const NcclTree& tree)
      : builder_(builder),
        channels_(channels),
        gpus_(channels.gpus()),
        tree_(tree),
        moves_(builder, tree, kNcclSteps, nccl_messages_at_once(problem, kNcclSteps)),
        summed_(tree.vertices.size(), kNoOp),
        loaded_(tree.vertices.size(), kNoOp),
        waiting_(kNcclSteps * (2 * tree.levels + 1)),
        at_switch_(tree.vertices.size() * waiting_, kNoOp),
        stored_(tree.vertices.size() * gpus_, kNoOp),
        loads_(tree.vertices.size() * gpus_, kNoOp) {}

  // Number of operations on a block in `nodes` nodes with `gpus` GPUs in total, and an upper bound
  // on their dependencies.
  static constexpr std::size_t ops(std::size_t nodes, std::size_t gpus) { return 3 * gpus + nodes; }
  static constexpr std::size_t dependencies(std::size_t nodes, std::size_t gpus) {
    return 6 * gpus + 4 * nodes;
  }

  void move(std::uint32_t loop, std::uint32_t block) {
    loop_ = loop;
    moves_.begin(loop, block, load_levels());
    if (gpus_ == 1) {
      moves_.up();
      moves_.down();
      return;
    }
    for (std::uint32_t vertex = 0; vertex < tree_.vertices.size(); ++vertex) {
      load(vertex, block);
    }
    moves_.up();
    moves_.down();
    for (std::uint32_t vertex = 0; vertex < tree_.vertices.size(); ++vertex) {
      store(vertex, block);
    }
  }

 private:
  [[nodiscard]] std::uint32_t load_levels() const { return gpus_ == 1 ? 0 : gpus_ + 1; }

  [[nodiscard]] std::uint32_t node(std::uint32_t vertex) const {
    return tree_.vertices[vertex].rank / gpus_;
  }
  [[nodiscard]] Rank place(std::uint32_t vertex) const { return builder_.ranks() + node(vertex); }

  // Loads the sum of the block over the node at the head. A chunk follows the previous one as soon
  // as this one is at the switch. At most as many chunks are loaded but not yet stored as the
  // buffers on the way to the root and back hold.
  void load(std::uint32_t vertex, std::uint32_t block) {
    OpId sum = kNoOp;
    for (std::uint32_t gpu = 0; gpu < channels_.gpus(node(vertex)); ++gpu) {
      const Place into = gpu == 0 ? kWork : Place{Buffer::scratch, gpu - 1};
      OpId& read = loads_[std::size_t{vertex} * gpus_ + gpu];
      read = builder_.comm({0, block}, node(vertex) * gpus_ + gpu, place(vertex),
                           {{block, 1}, kWork, into},
                           std::array{summed_[vertex], at_switch(vertex, waiting_)});
      sum = gpu == 0 ? read
                     : builder_.reduce({gpu, block}, place(vertex), {{block, 1}, into, kWork},
                                       Operand::left, std::array{sum, read});
    }
    summed_[vertex] = sum;
    const Rank head = tree_.vertices[vertex].rank;
    loaded_[vertex] = builder_.comm({gpus_, block}, place(vertex), head, {{block, 1}, kWork, kWork},
                                    std::array{sum, own_read(vertex), loaded_[vertex]});
    moves_.set_ready(vertex, loaded_[vertex]);
  }

  // Stores the head's block at all GPUs of the node, after the previous chunk. The head gets a copy
  // in a scratch slot, because it may still be sending the block to other nodes.
  void store(std::uint32_t vertex, std::uint32_t block) {
    const Rank head = tree_.vertices[vertex].rank;
    const std::uint32_t level = load_levels() + 2 * tree_.levels;
    OpId* const stored = &stored_[std::size_t{vertex} * gpus_];
    const OpId there =
        builder_.comm({level, block}, head, place(vertex), {{block, 1}, kWork, kWork},
                      std::array{moves_.ready(vertex), loaded_[vertex], at_switch(vertex, 1)});
    at_switch(vertex, 0) = there;
    for (std::uint32_t gpu = 0; gpu < channels_.gpus(node(vertex)); ++gpu) {
      const Rank to = node(vertex) * gpus_ + gpu;
      const Place into = to == head ? Place{Buffer::scratch, kNcclTreeChildren} : kWork;
      stored[gpu] = builder_.comm({level + 1, block}, place(vertex), to, {{block, 1}, kWork, into},
                                  std::array{there, stored[gpu]});
    }
  }

  // The message with which the head stored the chunk of `back` loops ago, up to waiting_.
  OpId& at_switch(std::uint32_t vertex, std::uint32_t back) {
    return at_switch_[std::size_t{vertex} * waiting_ + (loop_ + waiting_ - back) % waiting_];
  }
  // The message with which the head's own block was loaded.
  [[nodiscard]] OpId own_read(std::uint32_t vertex) const {
    return loads_[std::size_t{vertex} * gpus_ + tree_.vertices[vertex].rank % gpus_];
  }

  ScheduleBuilder& builder_;
  const NcclChannels& channels_;
  std::uint32_t gpus_;  // of each node but the last one
  const NcclTree& tree_;
  NcclTreeMoves moves_;
  std::uint32_t loop_ = 0;
  std::vector<OpId> summed_;     // by vertex: the sum at the switch
  std::vector<OpId> loaded_;     // by vertex: the message from the switch to the head
  std::uint32_t waiting_;        // largest number of chunks that are loaded but not yet stored
  std::vector<OpId> at_switch_;  // see at_switch()
  std::vector<OpId> stored_;     // by vertex and GPU: the last message of a store to the GPU
  std::vector<OpId> loads_;      // by vertex and GPU: the message from the GPU to the switch
};

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const NcclChannels channels(problem);
  const ChannelParts parts = parts_of(problem);
  const std::vector<std::uint32_t> heads = heads_of(channels);
  const Loops loops(problem, parts, heads.size());
  const std::size_t blocks = builder.blocks();
  const std::size_t nodes = switches(problem);
  const std::size_t gpus = nodes == 0 ? 0 : problem.ranks;
  const std::size_t edges = std::size_t{channels.nodes() - 1} * blocks;
  builder.reserve(
      blocks * HeadMoves::ops(nodes, gpus) + NcclTreeMoves::kOps * edges,
      blocks * HeadMoves::dependencies(nodes, gpus) + NcclTreeMoves::kDependencies * edges);
  std::vector<NcclTree> trees;  // by channel modulo 2 and head
  for (const bool second : {false, true}) {
    for (const std::uint32_t head : heads) {
      trees.push_back(nccl_rail_tree(channels, head, second));
    }
  }
  std::vector<HeadMoves> moves;  // by channel and head
  for (std::uint32_t channel = 0; channel < parts.count(); ++channel) {
    for (std::size_t head = 0; head < heads.size(); ++head) {
      moves.emplace_back(problem, builder, channels, trees[channel % 2 * heads.size() + head]);
    }
  }
  // The chunks in the order in which they are moved: the first loop of all channels comes first.
  struct Chunks {
    std::uint32_t channel;
    std::uint32_t loop;
    std::uint32_t first_block;
    std::uint32_t count;
  };
  std::vector<Chunks> order;
  std::uint32_t next_block = 0;
  for_each_loop(
      parts, loops,
      [&](std::uint32_t channel, std::uint32_t loop, const std::vector<std::uint64_t>& sizes) {
        const auto count = static_cast<std::uint32_t>(sizes.size());
        order.push_back({channel, loop, next_block, count});
        next_block += count;
      });
  std::stable_sort(order.begin(), order.end(),
                   [](const Chunks& a, const Chunks& b) { return a.loop < b.loop; });
  for (const Chunks& chunks : order) {
    for (std::uint32_t head = 0; head < chunks.count; ++head) {
      moves[chunks.channel * heads.size() + head].move(chunks.loop, chunks.first_block + head);
    }
  }
}

constexpr std::array kNumbers{kNvlsTrees, kNcclCards};

}  // namespace

extern const Algorithm nccl_nvls_tree{
    .collective = Collective::allreduce,
    .name = "nccl_nvls_tree",
    .idea =
        "each GPU with a card loads its share of the node's sum through the switch, adds it up "
        "over a binary tree of nodes, and stores the result through the switch",
    .source = "NCCL 2.30.7 graph/connect.cc connectNvls, device/all_reduce.h",
    .cost = "",
    .options = bit(Option::ranks_per_node) | bit(Option::cards) | bit(Option::channels) |
               bit(Option::segment),
    .own_numbers = kNumbers,
    .refusal = refusal,
    .limits = kLimits,
    .remark = "NCCL has 16 to 32 channels, and cuts the vector between them at multiples of 16 KiB",
    .layout = layout,
    .emit = emit,
    .switches = switches,
};

}}}  // namespace tutti::schedules::allreduce
