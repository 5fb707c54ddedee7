// Compares the closed form for the time of gathers and scatters over circulant graphs with the time
// of their schedules.
#include <catch2/catch.hpp>

#include <cmath>
#include <string>

#include "cost_models/longest_path.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_circulant_trees {

namespace {

constexpr Prices kPrices{1.7e-6, 0.93e-9, 0.31e-9, 0};

// With the first number of elements, most of the time is start-up of messages; with the second,
// most of it is transfer.
constexpr std::uint64_t kElementsPerRank[] = {1, 100'000};

// If the time has a closed form, checks that it equals the longest path of the schedule, and
// returns true.
bool has_closed_form(const Algorithm& algorithm, const Problem& problem) {
  INFO(algorithm.full_name() << " p=" << problem.ranks << " skips=" << to_text(problem.skips)
                             << " root=" << problem.root << " n=" << problem.bytes);
  const auto exact_s = algorithm.exact_s(problem, kPrices);
  if (exact_s) {
    const Schedule schedule = make_schedule(algorithm, problem, Detail::times_only);
    CHECK(longest_path(schedule, kPrices).total_s == Approx(*exact_s).epsilon(1e-12));
  }
  return exact_s.has_value();
}

}  // namespace

TEST_CASE("circulant gathers and scatters have a closed form for every scheme") {
  for (const char* name : {"gather/circulant", "scatter/circulant"}) {
    const Algorithm& algorithm = algorithm_named(name);
    for (std::uint32_t p = 2; p <= 48; ++p) {
      for (const std::string_view scheme : kSkipSchemes) {
        for (const Rank root : {Rank{0}, Rank{p / 2}}) {
          for (const std::uint64_t elements : kElementsPerRank) {
            Problem problem = problem_of(algorithm.collective, p, elements * p, root);
            problem.skips = parse_skips(scheme);
            CHECK(has_closed_form(algorithm, problem));
          }
        }
      }
    }
  }
}

TEST_CASE(
    "a circulant gather over a list of skips has a closed form if the root takes part in all "
    "rounds") {
  std::size_t with = 0;
  std::size_t without = 0;
  for (std::uint32_t p = 2; p <= 9; ++p) {
    for (std::uint32_t mask = 1; mask < 1U << (p - 1); ++mask) {
      std::string list;
      for (std::uint32_t skip = p - 1; skip > 0; --skip) {
        if ((mask >> (skip - 1) & 1U) != 0) {
          list += (list.empty() ? "" : ",") + std::to_string(skip);
        }
      }
      bool all = true;
      bool fits = true;
      for (const std::uint64_t elements : kElementsPerRank) {
        Problem problem = problem_of(Collective::gather, p, elements * p);
        problem.skips = parse_skips(list);
        const Algorithm& gather = algorithm_named("gather/circulant");
        try {
          all = has_closed_form(gather, problem) && all;
        } catch (const UserError&) {  // the distance of some rank to the root is not a sum of skips
          all = false;
          fits = true;
          break;
        }
        const Schedule schedule = make_schedule(gather, problem, Detail::times_only);
        const double rounds = schedule.rounds();
        const double form_s = rounds * kPrices.alpha_s +
                              static_cast<double>((p - 1) * elements * 8) * kPrices.beta_s_per_byte;
        fits = fits && std::fabs(longest_path(schedule, kPrices).total_s - form_s) < 1e-12 * form_s;
        if (elements == kElementsPerRank[1]) {
          (all ? with : without) += 1;
          INFO("p=" << p << " skips=" << list);
          CHECK(all == fits);
        }
      }
    }
  }
  CHECK(with > 0);
  CHECK(without > 0);
}

}  // namespace tutti::test_circulant_trees
