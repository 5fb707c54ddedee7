#include "src/search/rank_orders.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "src/search/rank_routes.hpp"
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

TEST_CASE("tours of a torus take one hop at a time, and two of them share no link") {
  for (const auto& [platform, ranks] :
       {std::pair{"torus_64.xml", 64U}, std::pair{"torus_512.xml", 512U}}) {
    const TestGoal test(platform, Collective::allgather, ranks, 1 << 16U);
    const std::vector<RankOrder> orders = rank_orders(test.goal);
    std::set<std::uint32_t> links_of_cycles;
    std::size_t hops_of_cycles = 0;
    std::size_t tours = 0;
    for (const RankOrder& order : orders) {
      const bool cycle = order.name.starts_with("along cycle");
      if (order.name.find("bits") != std::string::npos ||
          (!cycle && order.name.find("grid") == std::string::npos)) {
        continue;
      }
      ++tours;
      for (std::size_t i = 0; i < ranks; ++i) {
        const NetworkRoute route = test.goal.network->route(
            test.goal.host_of_rank[order.ranks[i]],
            test.goal.host_of_rank[order.ranks[i + 1 == ranks ? 0 : i + 1]]);
        CAPTURE(order.name, i);
        CHECK(route.hops.size() == 1);
        if (cycle) {
          links_of_cycles.insert(route.hops[0].link());
          ++hops_of_cycles;
        }
      }
    }
    CHECK(tours == 4);
    CHECK(hops_of_cycles == 2 * ranks);
    CHECK(links_of_cycles.size() == hops_of_cycles);
  }
  const TestGoal part("torus_64.xml", Collective::allgather, 63, 63 * 512);
  CHECK(disjoint_tours(part.goal).empty());
}

TEST_CASE("reversed routes are those from the other end") {
  const TestGoal test("torus_64.xml", Collective::reduce, 27, 1 << 16U);
  const RankRoutes there(test.goal);
  const RankRoutes back(test.goal, true);
  const auto links = [](const RankRoutes& routes, Rank src, Rank dst) {
    const auto found = routes.links(routes.route(src, dst));
    return std::vector<std::uint32_t>(found.begin(), found.end());
  };
  CHECK(links(there, 0, 5) != links(there, 5, 0));
  CHECK(links(back, 0, 5) == links(there, 5, 0));
}
