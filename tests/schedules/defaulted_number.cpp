// Tests Algorithm::own_numbers: the numbers that an algorithm uses if the user does not give the
// corresponding option.
#include "schedules/defaulted_number.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include "schedules/fingerprint.hpp"
#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_defaulted_number {

namespace {

// Returns true if the value of the option is a limit. Such an option has no default number, because
// by default there is no limit.
bool is_a_bound(Option option) {
  return option == Option::throttle || option == Option::aggregate ||
         option == Option::ranks_per_node || option == Option::segment;
}

// Returns a copy of `problem` for each value of the option `tree`, or only `problem` if `algorithm`
// does not have this option.
std::vector<Problem> with_trees(const Algorithm& algorithm, const Problem& problem) {
  std::vector<Problem> all;
  if (takes(algorithm, Option::tree)) {
    for (const OptionTrial& trial : option_type(Option::tree).trials(problem)) {
      all.push_back(trial.problem);
    }
  } else {
    all.push_back(problem);
  }
  return all;
}

}  // namespace

TEST_CASE("an algorithm's own number is the default of its option") {
  std::size_t equal = 0;
  for (const Algorithm* algorithm : algorithms()) {
    for (const DefaultedNumber& number : algorithm->own_numbers) {
      CAPTURE(algorithm->full_name(), own_in_words(number));
      REQUIRE(takes(*algorithm, number.option));
      for (const std::uint32_t ranks : {2U, 4U, 5U, 9U, 12U, 17U, 30U}) {
        for (const Problem& problem :
             with_trees(*algorithm, problem_of(algorithm->collective, ranks, 8 * ranks))) {
          Problem printed = problem;
          printed.*number.member = number.own(problem);
          CAPTURE(ranks, name(problem.tree), printed.*number.member);
          if (refuses(*algorithm, printed)) {
            continue;  // the algorithm does not accept this number with this tree
          }
          const Schedule by_default = make_schedule(*algorithm, problem);
          CHECK(fingerprint(by_default, Detail::payload) ==
                fingerprint(make_schedule(*algorithm, printed), Detail::payload));
          CHECK(number.of(problem) == number.of(printed));
          CHECK(number.is_redundant(printed) == !number.by_ranks);
          CHECK_FALSE(number.is_redundant(problem));
          ++equal;
          // A different number is not redundant.
          printed.*number.member += 1;
          CHECK_FALSE(number.is_redundant(printed));
        }
      }
    }
  }
  CHECK(equal > 200);
}

TEST_CASE("an algorithm has a default for each number that it takes") {
  for (const Algorithm* algorithm : algorithms()) {
    for (const OptionType* type : option_types()) {
      const bool number = std::holds_alternative<std::uint64_t>(type->value(Problem{})) &&
                          !is_a_bound(type->option);
      CAPTURE(algorithm->full_name(), type->flag());
      CHECK((defaulted_number(*algorithm, type->option) != nullptr) ==
            (number && takes(*algorithm, type->option)));
    }
  }
}

TEST_CASE("no value is redundant if the default depends on the number of ranks") {
  const Algorithm& tuna = algorithm_named("alltoallv/tuna");
  const DefaultedNumber* const radix = defaulted_number(tuna, Option::radix);
  REQUIRE(radix != nullptr);
  const Problem twelve = problem_of(Collective::alltoallv, 12, 144);
  CHECK(radix->own(twelve) == 4);
  CHECK(radix->own(problem_of(Collective::alltoallv, 17, 289)) == 5);
}

}  // namespace tutti::test_defaulted_number
