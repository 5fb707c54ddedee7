// Checks that the functions of each OptionType agree with each other, for each value that
// OptionType::trials returns.
#include <catch2/catch.hpp>

#include <set>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "schedules/options/given_options.hpp"
#include "schedules/options/option_type.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_options { namespace {

// Returns a problem of a collective that has an algorithm with this option.
Problem problem_for(const OptionType& type) {
  for (const Algorithm* algorithm : algorithms()) {
    if (takes(*algorithm, type.option)) {
      return problem_of(algorithm->collective, 4, 1000);
    }
  }
  FAIL("no algorithm takes " << type.flag());
  return {};
}

// Returns `base` with only this option copied from `from`.
Problem with_option(const OptionType& type, const Problem& base, const Problem& from) {
  Problem problem = base;
  type.copy(from, problem);
  return problem;
}

template <typename Visit>
void for_each_value(Visit&& visit) {
  for (const OptionType* type : option_types()) {
    const Problem base = problem_for(*type);
    std::size_t others = 0;
    for (const OptionTrial& trial : type->trials(base)) {
      const Problem problem = with_option(*type, base, trial.problem);
      others += problem == base ? 0 : 1;
      INFO(in_words(*type, problem));
      visit(*type, base, problem);
    }
    INFO(type->flag());
    CHECK(others > 0);
  }
}

TEST_CASE("a printed option is read back as the same value") {
  for_each_value([](const OptionType& type, const Problem& base, const Problem& problem) {
    Problem read = base;
    // A number that is left to the algorithm is printed as "".
    if (const std::string text = type.print(problem); !text.empty()) {
      type.parse(type.flag(), text, read);
    }
    CHECK(read == problem);
    CHECK(type.is_default(problem) == (problem == base));
    GivenOptions given;
    CHECK(given.text(type.option).empty());
    given.give(type.option, problem);
    CHECK(given.text(type.option) == type.print(problem));
    read = base;
    given.copy_into(read);
    CHECK(read == problem);
    given.drop(type.option);
    CHECK(given == GivenOptions{});
  });
}

TEST_CASE("an option's value in a data format is read back as the same value") {
  for_each_value([](const OptionType& type, const Problem& base, const Problem& problem) {
    Problem read = base;
    set_option(type, type.value(problem), read);
    CHECK(read == problem);
    set_option(type, type.value(base), read);
    CHECK(read == base);
  });
}

TEST_CASE(
    "an option is printed if it differs from its default, or if its default is always printed") {
  for_each_value([](const OptionType& type, const Problem& base, const Problem& problem) {
    Algorithm algorithm{};
    algorithm.collective = problem.collective;
    algorithm.options = bit(type.option);
    const bool other = problem != base;
    CHECK(options_text(algorithm, problem) ==
          (other || type.shown_by_default ? in_words(type, problem) : ""));
    const bool in_heading =
        run_in_words("it", algorithm, problem).find(std::string(type.flag())) != std::string::npos;
    CHECK(in_heading == (other && type.option != Option::block_sizes));
    algorithm.options = 0;
    CHECK(options_text(algorithm, problem).empty());
  });
}

TEST_CASE("an invalid value is refused with a line that names it and the accepted values") {
  for (const OptionType* type : option_types()) {
    INFO(type->flag());
    Problem read = problem_for(*type);
    const Problem before = read;
    for (const std::string text : {"oak", "0x", "-1", ""}) {
      try {
        type->parse(type->flag(), text, read);
        FAIL_CHECK("accepted: '" << text << "'");
      } catch (const UserError& error) {
        const std::string line = with_fields(error.what());
        INFO(line);
        CHECK(line.find("'" + text + "'") != std::string::npos);
        const bool says_what =
            line.find("expected") != std::string::npos || line.find("; use ") != std::string::npos;
        CHECK(says_what);
        CHECK(line.find('\n') == std::string::npos);
      }
      CHECK(read == before);
    }
    // A value of the wrong type is refused.
    const bool word = std::holds_alternative<std::string>(type->value(read));
    const OptionValue wrong = word ? OptionValue(std::uint64_t{1}) : OptionValue("oak");
    CHECK_THROWS_WITH(set_option(*type, wrong, read), Catch::Contains(std::string(type->json_key)));
  }
}

TEST_CASE("options have unique flags, keys and bits") {
  std::set<std::string_view> names;
  unsigned bits = 0;
  for (const OptionType* type : option_types()) {
    INFO(type->flag());
    CHECK(&option_type(type->option) == type);
    CHECK(names.insert(type->flag()).second);
    CHECK(names.insert(type->json_key).second);
    CHECK((bits & bit(type->option)) == 0);
    bits |= bit(type->option);
    CHECK_FALSE(type->help().empty());
    CHECK_FALSE(type->type_name.empty());
  }
}

TEST_CASE("lists of skips, and parts with segments, are printed as they are read") {
  for (const char* text : {"5,3,2,1", "1", "halving", "sqrt"}) {
    CHECK(to_text(parse_skips(text)) == text);
  }
  for (const char* text : {"open_mpi", "pipeline:binary:64+linear", "binomial+pipeline:1024"}) {
    CHECK(to_text(parse_parts(text, Collective::allreduce)) == text);
  }
  // Parts of another collective are not a syntax error: the algorithm decides whether to refuse
  // them.
  Problem problem = problem_of(Collective::allreduce, 4, 100);
  problem.parts = parse_parts("linear+linear", Collective::allgather);
  CHECK_FALSE(algorithm_named("allreduce/nonoverlapping").refusal(problem));
  problem.parts = parse_parts("pipeline+linear", Collective::reduce_scatter);
  CHECK_FALSE(algorithm_named("allreduce/nonoverlapping").refusal(problem));
  problem.collective = Collective::allgather;
  CHECK(algorithm_named("allgather/gather_bcast").refusal(problem).value_or("").text ==
        "$parts 'pipeline': there is no gather/pipeline");
}

}}  // namespace tutti::test_options
