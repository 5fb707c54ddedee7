// Tests the rings of NCCL's channels against the rings that NCCL 2.30.7 builds on made-up nodes.
#include "schedules/patterns/nccl_channels.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_nccl_channels {

namespace {

// One machine of nccl_rings.txt.
struct Example {
  std::string name;
  Problem problem;
  std::uint32_t channels = 0;
  std::vector<std::string> rings;
};

std::vector<Example> examples() {
  std::ifstream file(source_dir() + "/tests/schedules/patterns/nccl_rings.txt");
  REQUIRE(file);
  std::vector<Example> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) {
      continue;
    }
    if (line.starts_with("  ")) {
      all.back().rings.push_back(line.substr(2));
      continue;
    }
    Example& example = all.emplace_back();
    example.name = line;
    std::istringstream words(line);
    std::string kind;
    std::string order;
    std::uint32_t nodes = 0;
    std::uint32_t per_switch = 0;
    Problem& problem = example.problem;
    words >> kind >> nodes >> problem.ranks_per_node >> problem.cards >> per_switch >> order >>
        example.channels;
    REQUIRE(words);
    problem.ranks = nodes * problem.ranks_per_node;
    const auto* const word = std::ranges::find(kRingOrderNames, order);
    REQUIRE(word != kRingOrderNames.end());
    problem.ring_order = static_cast<RingOrder>(word - kRingOrderNames.begin());
  }
  return all;
}

}  // namespace

TEST_CASE("the rings of NCCL's channels equal those of NCCL 2.30.7") {
  std::uint32_t compared = 0;
  for (const Example& example : examples()) {
    INFO(example.name);
    REQUIRE_FALSE(NcclChannels::refusal(example.problem));
    const NcclChannels channels(example.problem);
    CHECK(channels.different() == example.rings.size());
    for (std::uint32_t channel = 0; channel < example.channels; ++channel) {
      INFO("channel " << channel);
      CHECK(fmt::format("{}", fmt::join(channels.ring(channel), " ")) ==
            example.rings[channel % example.rings.size()]);
      ++compared;
    }
  }
  CHECK(compared == 188);
}

TEST_CASE("crossed rings never change the rail between two nodes") {
  Problem problem = problem_of(Collective::allreduce, 32, 1000);
  problem.ranks_per_node = 8;
  problem.ring_order = RingOrder::crossed;
  const NcclChannels channels(problem);
  for (std::uint32_t channel = 0; channel < 8; ++channel) {
    for (std::uint32_t node = 0; node < channels.nodes(); ++node) {
      CHECK(channels.ring_in_node(channel, node).back() ==
            channels.ring_in_node(channel, (node + 1) % channels.nodes()).front());
    }
  }
}

TEST_CASE("a single node has one ring, however many GPUs it could have") {
  Problem problem = problem_of(Collective::allreduce, 5, 1000);
  problem.ranks_per_node = 8;
  const NcclChannels channels(problem);
  CHECK(channels.nodes() == 1);
  CHECK(channels.gpus() == 5);
  CHECK(channels.different() == 1);
  CHECK(channels.ring(3) == std::vector<Rank>{0, 1, 2, 3, 4});
}

TEST_CASE("the chain of a tree begins at the channel's card") {
  Problem problem = problem_of(Collective::allreduce, 16, 1000);
  problem.ranks_per_node = 8;
  problem.cards = 4;
  const NcclChannels channels(problem);
  CHECK(channels.chain(1, 0) == std::vector<std::uint32_t>{2, 3, 4, 5, 6, 7, 0, 1});
  CHECK(channels.chain(7, 1, true) == std::vector<std::uint32_t>{6, 5, 4, 3, 2, 1, 0, 7});
  CHECK(channels.rank(1, 6) == 14);
}

TEST_CASE("the last node limits the channels if it has fewer GPUs") {
  Problem problem = problem_of(Collective::allreduce, 13, 1000);
  problem.ranks_per_node = 8;
  problem.cards = 4;
  problem.ring_order = RingOrder::own;
  const NcclChannels channels(problem);
  CHECK(channels.nodes() == 2);
  CHECK(channels.gpus(0) == 8);
  CHECK(channels.gpus(1) == 5);
  CHECK_FALSE(channels.even());
  // Three of its GPUs have a card: 0, 2 and 4.
  CHECK(channels.different() == 3);
  CHECK(channels.entry(2) == 4);
  CHECK(channels.entry(3) == 0);
  CHECK(channels.ring(1) == std::vector<Rank>{0, 7, 6, 5, 4, 3, 10, 9, 8, 12, 11, 2, 1});
  CHECK(channels.chain(1, 1) == std::vector<std::uint32_t>{2, 3, 4, 0, 1});
  problem.ranks = 15;
  CHECK(different_nccl_channels(problem) == 4);
  problem.ranks = 9;
  CHECK(different_nccl_channels(problem) == 1);
}

TEST_CASE("cards that do not divide the GPUs are refused") {
  Problem problem = problem_of(Collective::allreduce, 16, 1000);
  problem.ranks_per_node = 8;
  problem.cards = 3;
  CHECK(NcclChannels::refusal(problem)->text ==
        "$cards_per_node 3 does not divide the 8 GPUs of a node");
  problem.cards = 16;
  CHECK(NcclChannels::refusal(problem));
  problem.cards = 4;
  CHECK_FALSE(NcclChannels::refusal(problem));
  problem.ranks = 12;
  CHECK_FALSE(NcclChannels::refusal(problem));
}

}  // namespace tutti::test_nccl_channels
