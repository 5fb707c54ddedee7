#include <catch2/catch.hpp>

#include <cstdio>

#include "cost_models/longest_path.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "tests/sim/naive_engine.hpp"
#include "tests/sim/random_schedule.hpp"

namespace tutti::test_random_schedules {

TEST_CASE("the dispatcher follows the rules of order, on random schedules") {
  const std::uint64_t base_seed = test_seed();
  std::printf("TUTTI_TEST_SEED=%llu\n", static_cast<unsigned long long>(base_seed));
  const std::vector<Prices> all_prices{{1, 1, 1, 1}, {1, 0, 0, 0}, {0, 1, 1, 0},
                                       {3, 1, 2, 0}, {0, 0, 0, 0}, {1e-6, 3e-9, 1e-10, 0}};
  for (std::uint64_t i = 0; i < 3000; ++i) {
    std::mt19937_64 random(base_seed + i);
    const auto ranks = static_cast<std::uint32_t>(1 + random() % 7);
    const auto ops = static_cast<std::uint32_t>(1 + random() % 60);
    const auto max_bytes = static_cast<std::uint32_t>(random() % 4);
    Schedule schedule = random_schedule(random, ranks, ops, max_bytes);
    if (i % 4 == 3) {
      schedule = with_random_units(schedule, random);
    }
    const Prices& prices = all_prices[random() % all_prices.size()];
    for (const std::uint32_t ports : {1U, 2U, 3U, kUnlimitedPorts}) {
      const Timeline expected = run_naively(schedule, prices, ports);
      const Timeline found = CriticalPathEngine(prices).run(schedule, {ports});
      INFO("seed " << base_seed + i << ", " << ports << " port(s)");
      REQUIRE(found.start_s == expected.start_s);
      REQUIRE(found.end_s == expected.end_s);
      REQUIRE(found.total_s == expected.total_s);
      // The longest path of the DAG is never longer than the run with ports.
      REQUIRE(longest_path(schedule, prices).total_s <= found.total_s * (1 + 1e-9));
    }
  }
}

}  // namespace tutti::test_random_schedules
