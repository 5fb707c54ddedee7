#include "schedules/patterns/kary_hypercube.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <vector>

#include "schedules/patterns/hypercube_fold.hpp"

namespace tutti::test_kary_hypercube {

using Extras = KaryHypercube::Extras;

TEST_CASE("base ranks of a digit cube and their extras cover all ranks, each once") {
  for (const Extras extras : {Extras::before_proxy, Extras::round_robin, Extras::after_proxy}) {
    for (std::uint32_t p = 1; p <= 70; ++p) {
      for (const std::uint32_t radix : {2U, 3U, 4U, 5U, 8U, 70U, 100U}) {
        INFO("p=" << p << " K=" << radix << " extras " << static_cast<int>(extras));
        const KaryHypercube cube(p, radix, extras);
        std::uint32_t product = 1;
        for (std::uint32_t digit = 0; digit < cube.digits(); ++digit) {
          CHECK(cube.weight(digit) == product);
          CHECK(cube.radix(digit) >= 2);
          CHECK(cube.radix(digit) <= cube.radix());
          product *= cube.radix(digit);
        }
        CHECK(cube.base_ranks() == product);
        CHECK(cube.base_ranks() + cube.extra_ranks() == p);
        std::set<Rank> all;
        std::uint32_t most = p;
        for (std::uint32_t v = 0; v < cube.base_ranks(); ++v) {
          all.insert(cube.base(v));
          CHECK(cube.extras(v) <= most);
          CHECK(cube.extras(v) <= cube.most_extras());
          most = cube.extras(v);
          for (std::uint32_t i = 0; i < cube.extras(v); ++i) {
            all.insert(cube.extra(v, i));
          }
        }
        CHECK(all.size() == p);
        CHECK(*all.rbegin() == p - 1);
      }
    }
  }
}

TEST_CASE("ranks represented by a virtual rank are consecutive, in the order of virtual ranks") {
  for (const Extras extras : {Extras::before_proxy, Extras::after_proxy}) {
    for (std::uint32_t p = 1; p <= 70; ++p) {
      for (std::uint32_t radix = 2; radix <= 9; ++radix) {
        INFO("p=" << p << " K=" << radix << " extras " << static_cast<int>(extras));
        const KaryHypercube cube(p, radix, extras);
        Rank next = 0;
        for (std::uint32_t v = 0; v < cube.base_ranks(); ++v) {
          const BlockSet own = cube.blocks(v, 1);
          CHECK(own.first == next);
          CHECK(own.count == 1 + cube.extras(v));
          next += own.count;
          CHECK((own.first <= cube.base(v) && cube.base(v) < next));
          for (std::uint32_t i = 0; i < cube.extras(v); ++i) {
            CHECK((own.first <= cube.extra(v, i) && cube.extra(v, i) < next));
          }
        }
        CHECK(next == p);
      }
    }
  }
}

TEST_CASE("members of a group differ in one digit, and each is the j-th of exactly one rank") {
  const KaryHypercube cube(2 * 3 * 3 * 3 + 2, 3, Extras::after_proxy);
  REQUIRE(cube.digits() == 4);
  CHECK(cube.radix(3) == 2);
  for (std::uint32_t digit = 0; digit < cube.digits(); ++digit) {
    for (std::uint32_t j = 1; j < cube.radix(digit); ++j) {
      std::set<std::uint32_t> others;
      for (std::uint32_t v = 0; v < cube.base_ranks(); ++v) {
        const std::uint32_t other = cube.other(v, digit, j);
        others.insert(other);
        for (std::uint32_t each = 0; each < cube.digits(); ++each) {
          CHECK((cube.value(v, each) == cube.value(other, each)) == (each != digit));
        }
      }
      CHECK(others.size() == cube.base_ranks());
    }
  }
}

TEST_CASE("mirroring reverses the digits") {
  const KaryHypercube cube(81, 3, Extras::before_proxy);
  CHECK(cube.mirror(1) == 27);
  CHECK(cube.mirror(27 + 2 * 9) == 1 + 2 * 3);
  for (std::uint32_t v = 0; v < 81; ++v) {
    CHECK(cube.mirror(cube.mirror(v)) == v);
  }
  // If the digits have different bases, the mirrored number has them in reverse order.
  const KaryHypercube uneven(6, 3, Extras::after_proxy);
  std::vector<std::uint32_t> mirrors;
  for (std::uint32_t v = 0; v < 6; ++v) {
    mirrors.push_back(uneven.mirror(v));
  }
  CHECK(mirrors == std::vector<std::uint32_t>{0, 2, 4, 1, 3, 5});
}

TEST_CASE("digit cubes of base 2 are the hypercubes of recursive doubling") {
  for (std::uint32_t p = 1; p <= 70; ++p) {
    INFO("p=" << p);
    const HypercubeFold neighbours(p, Fold::neighbours);
    const HypercubeFold far(p, Fold::far);
    const KaryHypercube before(p, 2, Extras::before_proxy);
    const KaryHypercube round(p, 2, Extras::round_robin);
    REQUIRE(before.base_ranks() == neighbours.base_ranks());
    REQUIRE(round.base_ranks() == far.base_ranks());
    for (std::uint32_t v = 0; v < far.base_ranks(); ++v) {
      CHECK(before.base(v) == neighbours.base(v));
      CHECK(round.base(v) == far.base(v));
    }
    for (std::uint32_t i = 0; i < far.extras(); ++i) {
      CHECK(before.extra(i, 0) == neighbours.extra(i));
      CHECK(round.extra(i, 0) == far.extra(i));
    }
  }
}

// The expected values are worked out by hand from MPICH's rule: ranks 2, 4 and 5 take part in the
// exchange, ranks 0 and 1 are extras of rank 2, and rank 3 is an extra of rank 4.
TEST_CASE("a digit cube of six ranks in base 3 has the expected extras") {
  const KaryHypercube cube(6, 3, Extras::before_proxy);
  CHECK(cube.base_ranks() == 3);
  CHECK(cube.base(0) == 2);
  CHECK(cube.base(1) == 4);
  CHECK(cube.base(2) == 5);
  CHECK(cube.extras(0) == 2);
  CHECK(cube.extra(0, 0) == 1);
  CHECK(cube.extra(0, 1) == 0);
  CHECK(cube.extras(1) == 1);
  CHECK(cube.extra(1, 0) == 3);
  CHECK(cube.extras(2) == 0);
}

}  // namespace tutti::test_kary_hypercube
