// Tests how command-line options are parsed into problems.
#include "src/requests/problem_request.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "schedules/registry.hpp"

namespace tutti::test_problem_request { namespace {

ProblemOptions options_for(const char* ranks, const char* bytes) {
  ProblemOptions options;
  options.ranks = {parse_ranks("$ranks", ranks), ranks};
  options.bytes = {parse_sizes("$bytes", bytes), bytes};
  return options;
}

std::optional<std::string>& text(ProblemOptions& options, Option option) {
  return options.own[index_of(option)];
}

TEST_CASE("every value that an option prints can be given on the command line") {
  for (const Algorithm* algorithm : algorithms()) {
    for (const OptionType* type : option_types()) {
      if (!takes(*algorithm, type->option)) {
        continue;
      }
      Problem plain;
      plain.collective = algorithm->collective;
      plain.ranks = 4;
      plain.bytes = algorithm->collective == Collective::barrier ? 0 : 8000;
      for (const OptionTrial& trial : type->trials(plain)) {
        ProblemOptions options = options_for("4", "8000");
        if (plain.bytes == 0) {
          options.bytes.reset();
        }
        // A number that equals the algorithm's default is not printed.
        if (const std::string value = type->print(trial.problem); !value.empty()) {
          text(options, type->option) = value;
        }
        INFO(algorithm->full_name() << ' ' << in_words(*type, trial.problem));
        Problem wanted = plain;
        type->copy(trial.problem, wanted);
        CHECK(parse_problem(options, *algorithm, false) == wanted);
      }
    }
  }
}

TEST_CASE("a request of several algorithms gives each the options that it takes") {
  ProblemOptions options = options_for("2..4", "1K,2K");
  text(options, Option::fold) = "far";
  text(options, Option::segment) = "auto";
  text(options, Option::skips) = "all";
  const std::array<const Algorithm*, 2> both{&algorithm_named("allreduce/recursive_doubling"),
                                             &algorithm_named("allreduce/segmented_ring")};
  const ProblemRequest request = parse_request(options, both, {.best_segment = true});
  CHECK(request.ranks == std::vector<std::uint32_t>{2, 3, 4});
  CHECK(request.bytes == std::vector<std::uint64_t>{1024, 2048});
  CHECK(request.each.best_segment);
  CHECK_FALSE(request.each.bytes_text);
  // Neither algorithm takes --skips, so its value is not parsed, but the option is still refused.
  CHECK_THROWS_WITH(options.refuse_what_none_takes(both),
                    "no algorithm of allreduce takes --skips; 'tutti list allreduce' shows the "
                    "options of each");
  CHECK_THROWS_WITH(request.each.problem(*both[0], 4, 8), Catch::Contains("takes no --segment"));
  const ProblemTemplate doubling = request.each.applicable_to(*both[0]);
  CHECK(doubling.problem(*both[0], 4, 8).fold == Fold::far);
  CHECK_FALSE(doubling.best_segment);
  const ProblemTemplate ring = request.each.applicable_to(*both[1]);
  CHECK(ring.problem(*both[1], 4, 8).fold == Fold::neighbours);
  CHECK(ring.best_segment);
  CHECK(ring.given_options.size() == 1);
}

TEST_CASE("`all` is not passed on as a value where it means every value") {
  ProblemOptions options = options_for("4", "64");
  const Algorithm* const circulant = &algorithm_named("allreduce/circulant");
  text(options, Option::skips) = "all";
  const ProblemRequest request =
      parse_request(options, {&circulant, 1}, {.all_values = bit(Option::skips)});
  CHECK(request.all_values == bit(Option::skips));
  CHECK(request.each.given_options.empty());
  CHECK_FALSE(request.each.options.has(Option::skips));
  CHECK_THROWS_WITH(parse_request(options, {&circulant, 1}, {}),
                    Catch::Contains("skips 'all': 'all' is not a number"));
}

TEST_CASE("several schemes and lists of skips are several values, without duplicates") {
  ProblemOptions options = options_for("4", "64");
  const Algorithm* const circulant = &algorithm_named("allreduce/circulant");
  const auto values = [&](const std::string& given) {
    text(options, Option::skips) = given;
    const ProblemRequest request =
        parse_request(options, {&circulant, 1}, {.all_values = bit(Option::skips)});
    const auto* const several = request.each.several(Option::skips);
    CHECK(request.each.options.has(Option::skips) == (several == nullptr));
    CHECK(request.each.given_options.empty() == (several != nullptr));
    std::string words;
    for (const Problem& value : several == nullptr ? std::vector<Problem>{} : *several) {
      words += to_text(value.skips) + " ";
    }
    return words;
  };
  CHECK(values("halving,doubling") == "halving doubling ");
  CHECK(values("sqrt;3,2,1;sqrt;2,1") == "sqrt 3,2,1 2,1 ");
  CHECK(values("all;3,2,1") == "halving doubling linear sqrt 3,2,1 ");
  CHECK(values("3,2,1").empty());
  CHECK(values("doubling;doubling").empty());
  CHECK_THROWS_WITH(values("halving,3,2,1"), Catch::Contains("separate names and numbers by ';'"));
  CHECK_THROWS_WITH(values("halving,dubling"), Catch::Contains("'dubling' is not a number"));
  CHECK_THROWS_WITH(values("halving;"), Catch::Contains("'' is not a number"));
  // Commands that run a single problem take only one value.
  text(options, Option::skips) = "halving,doubling";
  CHECK_THROWS_WITH(parse_request(options, {&circulant, 1}, {}), Catch::Contains("not a number"));
}

TEST_CASE("a value that is given later replaces the user's value") {
  ProblemOptions options = options_for("4", "1K");
  text(options, Option::segment) = "64";
  text(options, Option::cuts) = "open_mpi";
  const Algorithm* const pipeline = &algorithm_named("bcast/pipeline");
  ProblemTemplate each = parse_request(options, {&pipeline, 1}, {}).each;
  Problem other;
  other.tree = Tree::binary;
  each.give(Option::tree, other);
  other.segment_bytes = 32;
  each.give(Option::segment, other);
  REQUIRE(each.given_options.size() == 3);
  CHECK(each.given_options[0].text == "32");
  CHECK(each.given_options[1].text == "binary");
  CHECK(each.given_options[2].text == "open_mpi");
  const Problem problem = each.problem(*pipeline, 4, 1024);
  CHECK(problem.tree == Tree::binary);
  CHECK(problem.segment_bytes == 32);
  CHECK(problem.cuts == Cuts::open_mpi);
  each.drop(Option::cuts);
  CHECK(each.problem(*pipeline, 4, 1024).cuts == Cuts::even);
}

}}  // namespace tutti::test_problem_request
