#include "src/search/rank_orders.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "tests/src/search/goals.hpp"

using namespace tutti;

namespace {

bool is_order(const std::vector<Rank>& ranks, std::uint32_t count) {
  const std::set<Rank> all(ranks.begin(), ranks.end());
  return ranks.size() == count && all.size() == count && *all.rbegin() == count - 1;
}

}  // namespace

TEST_CASE("orders of ranks have each rank once, and stay so when they change") {
  for (const char* const platform : {"torus_64.xml", "infiniband_hdr_128_thin.xml"}) {
    for (const std::uint32_t ranks : {1U, 2U, 12U, 64U}) {
      const TestGoal test(platform, Collective::allgather, ranks, 1 << 16U);
      const std::vector<RankOrder> orders = rank_orders(test.goal);
      REQUIRE_FALSE(orders.empty());
      SearchRandom random(3);
      for (const RankOrder& order : orders) {
        CAPTURE(platform, ranks, order.name);
        CHECK(is_order(order.ranks, ranks));
        RankOrder next = order;
        for (int i = 0; i < 50; ++i) {
          next = changed(next, random);
          CHECK(is_order(next.ranks, ranks));
        }
      }
    }
  }
}

TEST_CASE("the way to and fro through a torus takes one hop at a time") {
  const TestGoal test("torus_64.xml", Collective::allgather, 64, 1 << 16U);
  const std::vector<RankOrder> orders = rank_orders(test.goal);
  for (const std::string_view name :
       {"to and fro through the grid", "there and back through the grid"}) {
    const auto found = std::ranges::find(orders, name, &RankOrder::name);
    REQUIRE(found != orders.end());
    for (std::size_t i = 0; i < found->ranks.size(); ++i) {
      const bool last = i + 1 == found->ranks.size();
      const NetworkRoute route =
          test.goal.network->route(test.goal.host_of_rank[found->ranks[i]],
                                   test.goal.host_of_rank[found->ranks[last ? 0 : i + 1]]);
      CAPTURE(name, i);
      CHECK(route.figures->latency_s == Approx(400e-9));
    }
  }
}
