// Tests the exhaustive search on small hand-made examples with known verdicts.
#include <catch2/catch.hpp>

#include "schedules/registry.hpp"
#include "tests/schedules/explore/examples.hpp"
#include "tests/schedules/explore/explorer.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::explore { namespace {

Finding found_in(const Draft& made, bool ordered = true) {
  INFO(to_string(made));
  REQUIRE(malformed(made) == std::nullopt);
  SearchOptions options;
  options.sameness = ordered ? Sameness::ordered : Sameness::commutative;
  Finding found = explore(made, options);
  REQUIRE(found.exhausted);
  return found;
}

TEST_CASE("explore: hand-written examples") {
  for (const Example& each : examples()) {
    INFO(each.name);
    const Finding found = found_in(each.draft, each.ordered);
    CHECK(found.harmful() == !each.safe);
    CHECK(!found.races.empty() == each.races);
    CHECK((found.ends == 1) == (!each.races && found.stuck.empty()));
  }
}

TEST_CASE("explore: a race without effect is reported, and is harmless") {
  Draft made = empty_draft(Collective::bcast, 2, 1);
  made.comm(0, 1, kWork, kWork, {{0, 0}});
  made.comm(0, 1, kWork, kWork, {{0, 0}});
  const Finding found = found_in(made);
  CHECK_FALSE(found.harmful());
  CHECK(found.races.size() == 1);
  CHECK(found.ends == 2);
  CHECK(found.results.size() == 1);
}

TEST_CASE("explore: reductions in any order give one sum and two roundings") {
  const Draft made = example("a scratch for each message, reductions in any order").draft;
  CHECK(found_in(made, true).wrong);
  const Finding commuting = found_in(made, false);
  CHECK_FALSE(commuting.wrong);
  CHECK(commuting.results.size() == 2);
}

TEST_CASE("explore: an unused undefined value is still an error") {
  const Finding found = found_in(example("an undefined value that is not used").draft);
  CHECK(found.undefined_read);
  CHECK_FALSE(found.wrong);
}

TEST_CASE("explore: operations that wait for each other deadlock") {
  Draft made = empty_draft(Collective::bcast, 2, 1);
  made.comm(0, 1, kWork, kWork, {{0, 0}}, {1});
  made.comm(1, 0, kWork, kScratch, {{0, 0}}, {0});
  CHECK(found_in(made).stuck == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("explore: operations that no MPI program can have are malformed") {
  Draft made = empty_draft(Collective::bcast, 4, 1);
  made.comm(0, 1, kWork, kWork, {{0, 0}});
  made.comm(2, 3, kWork, kWork, {{0, 0}}, {0});
  CHECK(malformed(made).value().find("shares no rank") != std::string::npos);
  made.ops[1].after.clear();
  CHECK(malformed(made) == std::nullopt);
  made.ops[1].pairs[0].into = 1;
  CHECK(malformed(made).value().find("outside") != std::string::npos);
  made.ops[1].pairs[0].into = 0;
  made.ops[1].dst = 2;
  CHECK(malformed(made).value().find("must have two ranks") != std::string::npos);
  made.ops[1].dst = 3;
  made.ops[1].into = Buffer::input;
  CHECK(malformed(made).value().find("writes to input") != std::string::npos);
}

TEST_CASE("explore: every registered algorithm has one execution for p up to 6") {
  for (const Algorithm* algorithm : host_algorithms()) {
    for (std::uint32_t ranks = 1; ranks <= 6; ++ranks) {
      const Problem problem = problem_of(algorithm->collective, ranks, 240);
      if (refuses(*algorithm, problem)) {
        continue;
      }
      const Draft made = draft_of(make_schedule(*algorithm, problem));
      INFO(algorithm->full_name() << " on " << ranks << " ranks\n" << to_string(made));
      REQUIRE(malformed(made) == std::nullopt);
      SearchOptions options;
      options.sameness = sameness_of(*algorithm, problem);
      const Finding found = explore(made, options);
      CHECK(found.what.empty());
      CHECK(found.exhausted);
      CHECK(found.ends == 1);
      CHECK(found.races.empty());
    }
  }
}

}}  // namespace tutti::explore
