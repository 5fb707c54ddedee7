// Tests NCCL's trees against those that NCCL 2.30.7 builds on made-up nodes, and the schedules over
// these trees: which messages each channel sends, how large they are, and what they wait for.
#include "schedules/patterns/nccl_tree.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "schedules/patterns/nccl_chunks.hpp"
#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_nccl_tree {

namespace {

// A group of node types with equal trees, from nccl_trees.txt.
struct Example {
  std::string name;
  Problem problem;
  std::vector<std::uint32_t> channels;  // of each node type
  std::vector<std::string> trees;       // those of the first half, then those of the second half
  std::vector<std::string> nvls;        // of channels with an even number, then an odd one
};

std::vector<Example> examples() {
  std::ifstream file(source_dir() + "/tests/schedules/patterns/nccl_trees.txt");
  REQUIRE(file);
  std::vector<Example> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) {
      continue;
    }
    if (line.starts_with("  nvls ")) {
      all.back().nvls.push_back(line.substr(7));
      continue;
    }
    if (line.starts_with("  ")) {
      all.back().trees.push_back(line.substr(2));
      continue;
    }
    Example& example = all.emplace_back();
    example.name = line;
    std::istringstream words(line);
    std::uint32_t nodes = 0;
    std::string links;
    Problem& problem = example.problem;
    words >> nodes >> problem.ranks_per_node >> problem.cards >> links;
    REQUIRE(words);
    problem.ranks = nodes * problem.ranks_per_node;
    const auto* const word = std::ranges::find(kNodeLinksNames, links);
    REQUIRE(word != kNodeLinksNames.end());
    problem.node_links = static_cast<NodeLinks>(word - kNodeLinksNames.begin());
    for (std::string type; words >> type;) {
      example.channels.push_back(
          static_cast<std::uint32_t>(std::stoul(type.substr(type.rfind('/') + 1))));
    }
  }
  return all;
}

// Returns "rank:parent>children" of all ranks of the tree, in the order of ranks.
std::string text(const NcclTree& tree) {
  std::map<Rank, std::string> ranks;
  for (std::size_t at = 0; at < tree.vertices.size(); ++at) {
    const NcclTree::Vertex& vertex = tree.vertices[at];
    std::string& line = ranks[vertex.rank];
    line = at == 0 ? fmt::format("{}:-1>", vertex.rank)
                   : fmt::format("{}:{}>", vertex.rank, tree.vertices[vertex.parent].rank);
    for (std::uint32_t child = vertex.first_child; child < vertex.end_child; ++child) {
      line += (child == vertex.first_child ? "" : ",") + std::to_string(tree.vertices[child].rank);
    }
  }
  std::string all;
  for (const auto& [rank, line] : ranks) {
    all += (all.empty() ? "" : " ") + line;
  }
  return all;
}

// Returns the messages of each channel, whose blocks are consecutive, over `channels` channels with
// equal numbers of blocks: the pairs of sender and receiver.
std::vector<std::set<std::pair<Rank, Rank>>> pairs_by_channel(const Schedule& schedule,
                                                              std::uint32_t channels) {
  std::vector<std::set<std::pair<Rank, Rank>>> pairs(channels);
  const std::uint32_t blocks = schedule.blocks() / channels;
  for (const Op& op : schedule.ops()) {
    if (op.is_comm()) {
      pairs[op.label().segment / blocks].emplace(op.src(), op.dst());
    }
  }
  return pairs;
}

// Returns the messages of a tree in the notation of the examples, in both directions.
std::set<std::pair<Rank, Rank>> pairs_of(const std::string& tree) {
  std::set<std::pair<Rank, Rank>> pairs;
  std::istringstream words(tree);
  for (std::string word; words >> word;) {
    const auto rank = static_cast<Rank>(std::stoul(word));
    const std::string parent = word.substr(word.find(':') + 1);
    if (!parent.starts_with("-1")) {
      pairs.emplace(rank, std::stoul(parent));
      pairs.emplace(std::stoul(parent), rank);
    }
  }
  return pairs;
}

Problem h100(std::uint32_t nodes, std::uint32_t gpus) {
  Problem problem = problem_of(Collective::allreduce, nodes * gpus, (64U << 20U) / 8);
  problem.ranks_per_node = gpus;
  problem.channels = 16;
  return problem;
}

}  // namespace

TEST_CASE("the trees of NCCL's channels equal those of NCCL 2.30.7") {
  std::uint32_t compared = 0;
  std::vector<std::string> other;
  for (const Example& example : examples()) {
    INFO(example.name);
    REQUIRE_FALSE(NcclChannels::refusal(example.problem));
    const NcclChannels channels(example.problem);
    const std::uint32_t different = channels.different();
    REQUIRE(example.trees.size() == different_nccl_trees(example.problem));
    for (std::uint32_t tree = 0; tree < example.trees.size(); ++tree) {
      const std::string own = text(
          nccl_tree(channels, tree % different, tree >= different, example.problem.node_links));
      if (own != example.trees[tree]) {
        other.push_back(fmt::format("{}: tree {}", example.name, tree));
      }
      ++compared;
    }
  }
  CHECK(compared == 75);
  // The search stops at these chains before it has tried to begin with the neighbour.
  CHECK(other == std::vector<std::string>{
                     "4 8 8 balanced a100/1/16: tree 1", "4 8 8 balanced a100/1/16: tree 5",
                     "4 8 8 balanced a100/1/16: tree 9", "4 8 8 balanced a100/1/16: tree 13"});
}

TEST_CASE("each channel of allreduce/nccl_tree uses its tree in both directions") {
  const Algorithm& algorithm = algorithm_named("allreduce/nccl_tree");
  std::uint32_t compared = 0;
  for (const Example& example : examples()) {
    if (example.name.find("a100/1/16") != std::string::npos) {
      continue;  // see the exceptions above
    }
    for (const std::uint32_t channels : example.channels) {
      INFO(example.name << ", " << channels << " channels");
      Problem problem = example.problem;
      problem.channels = channels;
      problem.bytes = std::uint64_t{64} * channels;
      const auto pairs = pairs_by_channel(make_schedule(algorithm, problem), channels);
      // The different trees are repeated within each half of the channels.
      const std::size_t halves = example.problem.ranks > example.problem.ranks_per_node ? 2 : 1;
      const std::size_t different = example.trees.size() / halves;
      for (std::uint32_t channel = 0; channel < channels; ++channel) {
        const std::size_t half = halves * channel / channels;
        const std::size_t in_half = channel - half * channels / 2;
        CHECK(pairs[channel] == pairs_of(example.trees[half * different + in_half % different]));
        ++compared;
      }
    }
  }
  CHECK(compared == 188 - 16);
}

TEST_CASE("the trees of NCCL's NVLS heads equal those of NCCL 2.30.7") {
  std::uint32_t compared = 0;
  for (const Example& example : examples()) {
    INFO(example.name);
    const NcclChannels channels(example.problem);
    for (std::size_t odd = 0; odd < example.nvls.size(); ++odd) {
      std::map<Rank, std::string> ranks;
      for (std::uint32_t head = 0; head < channels.different(); ++head) {
        std::istringstream words(text(nccl_rail_tree(channels, channels.entry(head), odd == 1)));
        for (std::string word; words >> word;) {
          ranks[static_cast<Rank>(std::stoul(word))] = word;
        }
      }
      std::string all;
      for (const auto& [rank, word] : ranks) {
        all += (all.empty() ? "" : " ") + word;
      }
      CHECK(all == example.nvls[odd]);
      ++compared;
    }
  }
  CHECK(compared == 10);
}

// NCCL 2.30.7 on 2 nodes of 4 H100 GPUs with 16 channels: 64 MiB are 4 MiB for each channel, which
// are 8 chunks of the Simple protocol.
TEST_CASE("allreduce/nccl_tree on 2 nodes of 4 GPUs moves 8 chunks of 512 KiB in each channel") {
  const Problem problem = h100(2, 4);
  const Schedule schedule = make_schedule(algorithm_named("allreduce/nccl_tree"), problem);
  CHECK(schedule.blocks() == 16 * 8);
  std::map<std::pair<Rank, Rank>, std::uint32_t> of_channel_0;
  for (const Op& op : schedule.ops()) {
    CHECK(op.bytes() == 512U << 10U);
    if (op.is_comm() && op.label().segment < 8) {
      ++of_channel_0[{op.src(), op.dst()}];
    }
  }
  // Up: 3 2 1 0, 7 6 5 4 and 4 to 0. Down: the same messages backwards.
  std::map<std::pair<Rank, Rank>, std::uint32_t> wanted;
  for (const auto& [child, parent] :
       std::vector<std::pair<Rank, Rank>>{{3, 2}, {2, 1}, {1, 0}, {7, 6}, {6, 5}, {5, 4}, {4, 0}}) {
    wanted[{child, parent}] = 8;
    wanted[{parent, child}] = 8;
  }
  CHECK(of_channel_0 == wanted);
  CHECK(schedule.messages() == 16U * 8 * 2 * 7);
}

TEST_CASE("a rank waits for all its children, and at most 8 chunks are in a buffer") {
  const Schedule schedule = make_schedule(algorithm_named("allreduce/nccl_tree"), h100(4, 8));
  // Channel 0: rank 16 receives from 17, 8 and 24, and sends to rank 0.
  std::vector<OpId> to_root(8, kNoOp);
  std::vector<std::set<OpId>> sums(8);
  std::vector<std::set<OpId>> from_17(8);
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const std::uint32_t chunk = op.is_comm() ? op.label().segment : op.label().segment / 4;
    if (chunk >= 8) {
      continue;
    }
    if (op.is_comm() && op.src() == 16 && op.dst() == 0) {
      to_root[chunk] = id;
    } else if (op.kind() == OpKind::reduce && op.rank() == 16) {
      sums[chunk].insert(id);
    } else if (op.is_comm() && op.src() == 17 && op.dst() == 16) {
      from_17[chunk].insert(id);
    }
  }
  const auto waits_for = [&](OpId id) {
    const auto list = schedule.predecessors(id);
    return std::set<OpId>(list.begin(), list.end());
  };
  for (std::uint32_t chunk = 0; chunk < 8; ++chunk) {
    REQUIRE(sums[chunk].size() == 3);
    // The last of the three reductions follows the other two.
    std::set<OpId> wanted{*sums[chunk].rbegin()};
    if (chunk > 0) {
      wanted.insert(to_root[chunk - 1]);
    }
    CHECK(waits_for(to_root[chunk]) == wanted);
  }
  // With 9 chunks, the last one waits until the first one has left the buffer.
  Problem longer = h100(4, 8);
  longer.segment_bytes = (4U << 20U) / 9 + 8;
  const Schedule nine = make_schedule(algorithm_named("allreduce/nccl_tree"), longer);
  REQUIRE(nine.blocks() == 16 * 9);
  OpId first_sum = kNoOp;
  OpId last_sent = kNoOp;
  for (OpId id = 0; id < nine.size(); ++id) {
    const Op& op = nine.op(id);
    if (op.kind() == OpKind::reduce && op.rank() == 16 && op.label().segment == 0) {
      first_sum = id;
    } else if (op.is_comm() && op.src() == 17 && op.dst() == 16 && op.label().segment == 8) {
      last_sent = id;
    }
  }
  REQUIRE(first_sum != kNoOp);
  REQUIRE(last_sent != kNoOp);
  const auto list = nine.predecessors(last_sent);
  CHECK(std::find(list.begin(), list.end(), first_sum) != list.end());
}

TEST_CASE(
    "chunks of LL128 fill the pipeline of a tree, and those of LL and Simple do not depend "
    "on the size") {
  Problem problem = h100(4, 8);
  const std::uint64_t part = (4U << 20U) / 8;
  CHECK(nccl_tree_chunk(problem, part) * 8 == 512U << 10U);
  problem.protocol = Protocol::ll;
  CHECK(nccl_tree_chunk(problem, part) * 8 == 32U << 10U);
  // a = 1 + log2(4) + 0.1 * 8 = 3.8. 576,000 is halved until 4 MiB are 30.4 chunks, or it is at
  // most 131,072: 72,000, which is rounded down to a multiple of 1,920.
  problem.protocol = Protocol::ll128;
  CHECK(nccl_tree_chunk(problem, part) * 8 == 71'040);
  // 64 a / 8 = 30.4 chunks of 576,000 bytes are 17,510,400 bytes.
  CHECK(nccl_tree_chunk(problem, 18'000'000 / 8) * 8 == 576'000);
  CHECK(nccl_tree_chunk(problem, 16'000'000 / 8) * 8 == 288'000);
  // A small part: 16 a / 8 = 7.6 chunks of at least 32,768 bytes.
  CHECK(nccl_tree_chunk(problem, 250'000 / 8) * 8 == 17'280);
  problem.segment_bytes = 4096;
  CHECK(nccl_tree_chunk(problem, part) * 8 == 4096);
}

TEST_CASE("NVLS trees cut 64 MiB as NCCL 2.30.7 does, and use the rails in both directions") {
  const Algorithm& algorithm = algorithm_named("allreduce/nccl_nvls_tree");
  struct Case {
    std::uint32_t nodes;
    std::uint32_t gpus;
    std::uint64_t chunk;
  };
  for (const Case& each : {Case{2, 4, 128U << 10U}, Case{4, 8, 64U << 10U}}) {
    const Problem problem = h100(each.nodes, each.gpus);
    const Schedule schedule = make_schedule(algorithm, problem);
    CHECK(schedule.blocks() == 16U * 8 * each.gpus);  // 16 channels, 8 loops, a chunk of each head
    CHECK(schedule.switches() == each.nodes);
    std::map<std::pair<Rank, Rank>, std::uint64_t> rails;  // bytes of channel 0
    for (const Op& op : schedule.ops()) {
      CHECK(op.bytes() == each.chunk);
      if (op.is_comm() && op.src() < schedule.ranks() && op.dst() < schedule.ranks() &&
          op.label().segment < 8 * each.gpus) {
        rails[{op.src(), op.dst()}] += op.bytes();
      }
    }
    for (std::uint32_t head = 0; head < each.gpus; ++head) {
      // Head 0 of 4 nodes: 16 above 8 and 24, and 0 above 16.
      const Rank below = each.nodes == 2 ? each.gpus + head : 2 * each.gpus + head;
      CHECK(rails.at({below, head}) == 8 * each.chunk);
      CHECK(rails.at({head, below}) == 8 * each.chunk);
    }
    CHECK(rails.size() == 2 * std::size_t{each.nodes - 1} * each.gpus);
    // In channel 1, head 0 of the last node is the root: of 4 nodes, 24 is above 8.
    std::set<std::pair<Rank, Rank>> of_channel_1;
    for (const Op& op : schedule.ops()) {
      if (op.is_comm() && op.src() == (each.nodes - 1) * each.gpus && op.dst() < schedule.ranks() &&
          op.label().segment / (8 * each.gpus) == 1) {
        of_channel_1.emplace(op.src(), op.dst());
      }
    }
    CHECK(of_channel_1 == std::set<std::pair<Rank, Rank>>{
                              {(each.nodes - 1) * each.gpus, each.nodes == 2 ? 0 : each.gpus}});
  }
}

TEST_CASE("chunks of NVLS become smaller with the part of a channel") {
  Problem problem = h100(4, 8);
  const auto chunk = [&](std::uint64_t part_bytes) {
    return nccl_nvls_chunk(problem, part_bytes / 8) * 8 >> 10U;
  };
  // On 4 nodes, a chunk has at most 64 KiB; below 8 chunks of 64 KiB, it has 32 KiB.
  CHECK(chunk(64U << 20U) == 64);
  CHECK(chunk(512U << 10U) == 64);
  CHECK(chunk((512U << 10U) - 8) == 32);
  problem = h100(2, 8);
  CHECK(chunk(4U << 20U) == 128);
  CHECK(chunk((4U << 20U) - 8) == 64);
  CHECK(chunk((512U << 10U) - 8) == 32);
  // On a single node, each of 8 GPUs is a head.
  problem = h100(1, 8);
  CHECK(chunk(64U << 20U) == 128);
  CHECK(chunk((64U << 20U) - 8) == 64);
  CHECK(chunk((4U << 20U) - 8) == 32);
  CHECK(chunk((512U << 10U) - 8) == 16);
}

}  // namespace tutti::test_nccl_tree
