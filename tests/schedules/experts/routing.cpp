#include "schedules/experts/routing.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.hpp"

namespace tutti::test_expert_routing {
namespace {

using Catch::Matchers::Contains;

ExpertRouting qwen3() {
  ExpertRouting routing;
  routing.experts = 128;
  routing.top = 8;
  routing.tokens = 2048;
  return routing;
}

std::uint64_t sum(const std::vector<std::uint64_t>& of) {
  return std::accumulate(of.begin(), of.end(), std::uint64_t{0});
}

std::uint32_t nodes_of(const RoutedTokens& tokens, std::uint32_t token) {
  std::vector<std::uint32_t> nodes;
  for (const Rank rank : tokens.ranks_of(token)) {
    nodes.push_back(rank / tokens.ranks_per_node());
  }
  return static_cast<std::uint32_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
}

}  // namespace

TEST_CASE("routing: copies over the network are as in the closed forms") {
  for (const std::uint32_t nodes : {1U, 2U, 4U, 8U}) {
    INFO(nodes);
    const RoutedTokens tokens(qwen3(), 8 * nodes, 8);
    CHECK(tokens.dropped() == 0);
    CHECK(tokens.copies_to_other_nodes() ==
          Approx(mean_copies_to_other_nodes(8, nodes)).epsilon(0.003));
    // Without repetition, a node has none of a token's experts with this probability.
    double none = 1;
    for (std::uint32_t i = 0; i < 8; ++i) {
      none *= (128.0 - 128.0 / nodes - i) / (128 - i);
    }
    CHECK(tokens.other_nodes() == Approx((nodes - 1) * (1 - none)).epsilon(0.003));
    CHECK(tokens.other_nodes() == Approx(mean_other_nodes(8, nodes)).epsilon(0.02));
  }
  CHECK(mean_copies_to_other_nodes(8, 4) == Approx(6));
  CHECK(mean_other_nodes(8, 4) == Approx(2.6997).margin(1e-4));
}

TEST_CASE("routing: skew changes what ranks receive, not what they send") {
  double last_load = 1;
  for (const double skew : {0.0, 0.5, 1.0, 2.0}) {
    ExpertRouting routing = qwen3();
    routing.skew = skew;
    const CopyCounts counts = RoutedTokens(routing, 32, 8).counts();
    CHECK(std::all_of(counts.sent.begin(), counts.sent.end(),
                      [](std::uint64_t each) { return each == 2048 * 8; }));
    CHECK(sum(counts.received) == sum(counts.sent));
    CHECK(counts.load() >= last_load);
    last_load = counts.load() + (skew == 0 ? 0.1 : 0);
  }
  // A rank has 4 of 128 experts. The most popular ones get each token once.
  CHECK(last_load > 3);
}

TEST_CASE("routing: probabilities of the first draw are i^-skew") {
  ExpertRouting routing;
  routing.experts = 8;
  routing.tokens = 20'000;
  routing.skew = 1;
  std::vector<std::uint64_t> received = RoutedTokens(routing, 8, 8).counts().received;
  std::sort(received.rbegin(), received.rend());
  double harmonic = 0;
  for (int i = 1; i <= 8; ++i) {
    harmonic += 1.0 / i;
  }
  for (int i = 1; i <= 8; ++i) {
    CHECK(static_cast<double>(received[i - 1]) == Approx(8 * 20'000 / harmonic / i).epsilon(0.03));
  }
}

TEST_CASE("routing: the draw without luck agrees with the other one") {
  // With this skew, the last experts of a token are nearly always drawn from the remaining ones.
  ExpertRouting routing;
  routing.experts = 8;
  routing.top = 8;
  routing.tokens = 100;
  routing.skew = 10;
  const RoutedTokens tokens(routing, 4, 2);
  CHECK(std::all_of(tokens.copies().begin(), tokens.copies().end(),
                    [](std::uint64_t each) { return each == 200; }));
}

TEST_CASE("routing: the same seed gives the same experts, another one gives others") {
  ExpertRouting routing = qwen3();
  routing.tokens = 64;
  const RoutedTokens one(routing, 16, 8);
  CHECK(one.copies() == RoutedTokens(routing, 16, 8).copies());
  routing.seed = 2;
  CHECK(one.copies() != RoutedTokens(routing, 16, 8).copies());
}

TEST_CASE("routing: a token goes to no more nodes than allowed") {
  ExpertRouting routing = qwen3();
  routing.tokens = 256;
  for (const std::uint32_t most : {1U, 2U, 4U, 8U, 20U}) {
    routing.most_nodes = most;
    const RoutedTokens tokens(routing, 64, 8);
    std::uint32_t largest = 0;
    for (std::uint32_t token = 0; token < 64 * 256; ++token) {
      largest = std::max(largest, nodes_of(tokens, token));
    }
    CHECK(largest == std::min(most, 8U));
    CHECK(sum(tokens.copies()) == std::uint64_t{64} * 256 * 8);
  }
}

TEST_CASE("routing: no expert has more copies than its capacity, and no copy is lost otherwise") {
  for (const double capacity : {0.5, 1.0, 1.25}) {
    ExpertRouting routing = qwen3();
    routing.tokens = 256;
    routing.skew = 1;
    // One expert at each rank, so that a rank's copies are its expert's.
    routing.experts = 32;
    routing.capacity = capacity;
    const RoutedTokens tokens(routing, 32, 8);
    const CopyCounts counts = tokens.counts();
    const auto most = static_cast<std::uint64_t>(std::ceil(capacity * 256 * 8));
    CHECK(*std::max_element(counts.received.begin(), counts.received.end()) == most);
    CHECK(sum(counts.received) + tokens.dropped() == std::uint64_t{32} * 256 * 8);
    CHECK(tokens.dropped() > 0);
    routing.capacity = 0;
    const CopyCounts all = RoutedTokens(routing, 32, 8).counts();
    for (std::size_t rank = 0; rank < 32; ++rank) {
      CHECK(counts.received[rank] == std::min(all.received[rank], most));
    }
  }
}

TEST_CASE("routing: a rank with several experts of a token is there once") {
  ExpertRouting routing;
  routing.experts = 8;
  routing.top = 5;
  routing.tokens = 10;
  const RoutedTokens tokens(routing, 2, 1);
  for (std::uint32_t token = 0; token < 20; ++token) {
    const auto ranks = tokens.ranks_of(token);
    CHECK(std::vector<Rank>(ranks.begin(), ranks.end()) == std::vector<Rank>{0, 1});
  }
  CHECK(tokens.other_nodes() == 1);
}

TEST_CASE("routing: what cannot be is refused") {
  const auto message = [](auto change, std::uint32_t ranks = 32) {
    ExpertRouting routing = qwen3();
    change(routing);
    try {
      const RoutedTokens tokens(routing, ranks, 8);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message([](ExpertRouting& routing) { routing.experts = 100; }) ==
        "experts 100: 32 ranks cannot have the same number of experts each");
  CHECK_THAT(message([](ExpertRouting& routing) { routing.experts = 0; }), Contains("experts 0"));
  CHECK(message([](ExpertRouting& routing) { routing.top = 129; }) ==
        "top 129: a token goes to 1 to 128 experts");
  CHECK(message([](ExpertRouting& routing) {
          routing.top = 40;
          routing.most_nodes = 1;
        }) == "top 40: a token goes to 1 to 32 experts on 1 node");
  CHECK_THAT(message([](ExpertRouting& routing) { routing.tokens = 0; }), Contains("tokens 0"));
  CHECK_THAT(message([](ExpertRouting& routing) { routing.tokens = kMostTokens; }),
             Contains("copies"));
  CHECK_THAT(message([](ExpertRouting& routing) { routing.skew = 11; }), Contains("skew 11"));
}

TEST_CASE("load: each rank sends the same, and one receives more") {
  const std::vector<std::uint64_t> blocks = loaded_blocks(4, 1000, 8, 1.5);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    CHECK(std::vector<std::uint64_t>(blocks.begin() + 4 * rank, blocks.begin() + 4 * rank + 4) ==
          std::vector<std::uint64_t>{375 * 8, 209 * 8, 208 * 8, 208 * 8});
  }
  CHECK(loaded_blocks(3, 9, 1, 1) == std::vector<std::uint64_t>(9, 3));
  CHECK(loaded_blocks(2, 9, 1, 2) == std::vector<std::uint64_t>{9, 0, 9, 0});
  CHECK_THROWS_AS(loaded_blocks(4, 1000, 8, 0.9), UserError);
  CHECK_THROWS_AS(loaded_blocks(4, 1000, 8, 4.1), UserError);
}

}  // namespace tutti::test_expert_routing
