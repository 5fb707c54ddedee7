// Tests the level at which a link is full, which must be bit-identical for any order of the flows.
#include "sim/flow/link_filling.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace tutti::test_link_filling {

namespace {

using Parts = std::vector<std::pair<double, double>>;  // (claim, bound) of each flow

LinkFilling::Result filled(double capacity, const Parts& parts, double guess = 0) {
  LinkFilling filling;
  filling.clear();
  ExactClaim claims = 0;
  for (const auto& [claim, bound] : parts) {
    filling.add(claim, bound);
    claims += exact_claim(claim);
  }
  return filling.level(capacity, claims, guess);
}

}  // namespace

TEST_CASE("claims are summed without rounding, from tiny to huge ones") {
  for (const double claim : {1e-6, 2e-4, 1.0, 1 / 1.7e-6, 4e6, 1e12, 1e17}) {
    CHECK(as_double(exact_claim(claim)) == Approx(claim).epsilon(1e-10));
  }
  // For a claim of at least 1/8, all digits are exact.
  for (const double claim : {0.125, 1 / 3.0, 1 / 1.7e-6}) {
    CHECK(as_double(exact_claim(claim)) == claim);
  }
  ExactClaim sum = 0;
  for (const double claim : {1e17, 0.1, 1 / 3.0}) {
    sum += exact_claim(claim);
  }
  sum -= exact_claim(1e17);
  CHECK(as_double(sum) == Approx(0.1 + 1 / 3.0).epsilon(1e-15));
  CHECK(as_double(exact_claim(1e300)) == 0x1p60);
}

TEST_CASE("a fill level computed by hand: what slow flows leave goes to the others") {
  // Three flows, each with a claim of 1, share a capacity of 10. One of them is bounded by 1.
  CHECK(filled(10, {{1, 1}, {1, 100}, {1, 100}}).level == Approx(4.5).epsilon(1e-15));
  const LinkFilling::Result slack = filled(10, {{1, 1}, {2, 3}});
  CHECK(slack.level == kNotFull);
  CHECK(slack.used_bytes_per_s == 7);
  // The link never limits a flow that is alone on it, because the flow's own bound includes the
  // capacity of the link.
  CHECK(filled(10, {{1, 10}}).level == kNotFull);
  // A bound equal to the level has no effect.
  CHECK(filled(10, {{1, 5}, {1, 5}}).level == 5);
}

TEST_CASE("a fill level is the same to the bit in any order, even with many close bounds") {
  std::mt19937_64 random(1);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    const double capacity = between(1e9, 5e9);
    Parts parts;
    for (std::size_t i = 0; i < 3 + random() % 30; ++i) {
      parts.emplace_back(1 / (1e-6 * static_cast<double>(1 + random() % 12)), between(1, 1e5));
    }
    // Sets some bounds to the level, up to rounding.
    const double level = filled(capacity, parts).level;
    for (std::size_t i = 0; i < 6 && level != kNotFull; ++i) {
      parts[random() % parts.size()].second = level * (1 + (between(-4, 4)) * 0x1p-52);
    }
    const LinkFilling::Result first = filled(capacity, parts);
    for (int order = 0; order < 5; ++order) {
      std::shuffle(parts.begin(), parts.end(), random);
      const double again = filled(capacity, parts).level;
      CHECK(again == first.level);
    }
    // The level must not depend on the initial guess.
    for (const double guess : {kNotFull, first.level, first.level * (1 + between(-4, 4) * 0x1p-52),
                               first.level * between(0.5, 2), between(1, 2e5)}) {
      CHECK(filled(capacity, parts, guess).level == first.level);
    }
    // Bounds that are not below the level must have no effect.
    for (auto& [claim, bound] : parts) {
      bound = bound >= first.level ? 2 * bound : bound;
    }
    if (first.level != kNotFull) {
      CHECK(filled(capacity, parts).level == first.level);
    }
  }
}

}  // namespace tutti::test_link_filling
