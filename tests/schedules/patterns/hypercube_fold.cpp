#include "schedules/patterns/hypercube_fold.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace tutti::test_hypercube_fold {

TEST_CASE("virtual ranks and extra ranks cover all ranks, each once") {
  for (const Fold fold : {Fold::neighbours, Fold::far}) {
    for (std::uint32_t p = 1; p <= 70; ++p) {
      const HypercubeFold cube(p, fold);
      INFO("p=" << p);
      CHECK(cube.base_ranks() == 1U << cube.dimensions());
      CHECK(cube.base_ranks() <= p);
      CHECK(p < 2 * cube.base_ranks());
      std::set<Rank> bases;
      for (std::uint32_t v = 0; v < cube.base_ranks(); ++v) {
        bases.insert(cube.base(v));
      }
      CHECK(bases.size() == cube.base_ranks());
      std::set<Rank> all = bases;
      std::set<Rank> proxies;
      for (std::uint32_t i = 0; i < cube.extras(); ++i) {
        all.insert(cube.extra(i));
        proxies.insert(cube.proxy(i));
        CHECK(bases.count(cube.proxy(i)) == 1);
      }
      CHECK(proxies.size() == cube.extras());
      CHECK(all.size() == p);
      CHECK(*all.rbegin() == p - 1);
    }
  }
}

TEST_CASE("a fold of neighbours keeps virtual ranks in the order of the ranks they hold") {
  for (std::uint32_t p = 1; p <= 70; ++p) {
    const HypercubeFold cube(p, Fold::neighbours);
    for (std::uint32_t v = 1; v < cube.base_ranks(); ++v) {
      CHECK(cube.base(v - 1) < cube.base(v));
    }
    for (std::uint32_t i = 0; i < cube.extras(); ++i) {
      CHECK(cube.extra(i) + 1 == cube.proxy(i));
      CHECK(cube.proxy(i) == cube.base(i));
    }
  }
}

}  // namespace tutti::test_hypercube_fold
