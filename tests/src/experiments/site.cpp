#include "src/experiments/sites/site.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace tutti::test_site { namespace {

TableCell judged(std::uint32_t rank_index, std::uint64_t bytes, const char* algorithm,
                 std::optional<double> seconds) {
  TableCell cell;
  cell.rank_index = rank_index;
  cell.bytes = bytes;
  cell.choice.emplace();
  cell.choice->library_algorithm = algorithm;
  cell.seconds = seconds;
  return cell;
}

// A part with rules for 4 and 8 ranks, judged at 64 and 4096 bytes.
SitePart part_of_two_ranks() {
  SitePart part;
  part.ranks_per_host = 2;
  part.decision.ranks = {4, 8};
  for (const std::uint32_t ranks : part.decision.ranks) {
    part.decision.decisions.emplace_back().ranks = ranks;
  }
  part.decision.judgement.emplace();
  for (const std::uint32_t r : {0U, 1U}) {
    for (const std::uint64_t bytes : {64U, 4096U}) {
      part.installed.cells.push_back(judged(r, bytes, "ring", 2e-6));
      part.decision.judgement->cells.push_back(
          judged(r, bytes, "linear", r == 0 ? std::optional(3e-6) : std::nullopt));
    }
  }
  part.levels = {{}, {{0, false, ""}, {4096, true, "alpha"}}};
  return part;
}

TEST_CASE("the gain of a cell is how much longer the library takes without rules") {
  SiteCell cell;
  CHECK_FALSE(cell.gain());
  cell.rules_s = 2;
  CHECK_FALSE(cell.gain());
  cell.built_in_s = 3;
  CHECK(cell.gain() == 0.5);
  cell.rules_s = 0;
  CHECK_FALSE(cell.gain());
}

TEST_CASE("a cell has the choice with the rules, and the one without them") {
  const std::vector<SiteCell> cells = cells_of(part_of_two_ranks());
  REQUIRE(cells.size() == 4);
  for (const SiteCell& cell : cells) {
    CHECK(cell.ranks == (cell.rank_index == 0 ? 4 : 8));
    CHECK(cell.rules == "ring");
    CHECK(cell.built_in == "linear");
    CHECK(cell.gain().has_value() == (cell.rank_index == 0));
    // From 4096 bytes on, the library composes calls on 8 ranks.
    CHECK(cell.composed == (cell.rank_index == 1 && cell.bytes == 4096));
  }
  CHECK(cells.front().gain().value_or(0) == Approx(0.5));
}

TEST_CASE("a site names the least and the most ranks of all its parts") {
  Site site;
  site.parts = {part_of_two_ranks(), part_of_two_ranks()};
  CHECK(decided_ranks(site).in_words() == "4 to 8 ranks");
  site.parts[0].decision.ranks = {2, 16};
  CHECK(decided_ranks(site).in_words() == "2 to 16 ranks");
  for (SitePart& part : site.parts) {
    part.decision.ranks = {6};
  }
  CHECK(decided_ranks(site).in_words() == "6 ranks");
}

TEST_CASE("Open MPI's rules reach the parts of its compositions, and MPICH's do not") {
  CHECK(rules_reach_parts(library_release_named("a test", "Open MPI 5.0.6")));
  CHECK_FALSE(rules_reach_parts(library_release_named("a test", "MPICH 4.3.0")));
}

TEST_CASE("a form has rules for the collectives that it can name") {
  const std::vector<Collective> ompi = site_collectives(RuleFormat::ompi4);
  const auto has = [&](Collective each) { return std::ranges::find(ompi, each) != ompi.end(); };
  CHECK(has(Collective::allreduce));
  CHECK(has(Collective::barrier));
  CHECK_FALSE(has(Collective::scatterv));
  CHECK(std::ranges::is_sorted(ompi, {}, [](Collective each) {
    return std::ranges::find(kCollectives, each) - kCollectives.begin();
  }));
}

}}  // namespace tutti::test_site
