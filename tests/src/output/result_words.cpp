#include "src/output/result_words.hpp"

#include <catch2/catch.hpp>

#include "base/messages.hpp"
#include "schedules/registry.hpp"
#include "src/simulation/engines/engine_type.hpp"

namespace tutti::test_result_words { namespace {

using Catch::Contains;

RunResult result_of(double seconds, TieRange ties) {
  RunResult result;
  result.simulated_s = seconds;
  result.ties = ties;
  return result;
}

TEST_CASE("ties are a warning only if they move the time by more than a thousandth") {
  const TieRange small{.runs = 3, .least_s = 1, .median_s = 1, .most_s = 1.0009};
  const TieRange large{.runs = 3, .least_s = 1, .median_s = 1.05, .most_s = 1.1};
  CHECK(tie_spread(result_of(1, small)) == Approx(0.0009));
  CHECK(ties_in_words(result_of(1, small)) ==
        "hardly matter: 1 s to 1.0009 s in 3 runs with tiny random delays");
  CHECK(ties_in_words(result_of(1, large)) ==
        "1 s to 1.1 s, 10 % apart, median 1.05 s, in 3 runs with tiny random delays");
  KeptMessages messages;
  warn_of_ties(result_of(1, small), "; a hint", messages);
  CHECK(messages.all().empty());
  warn_of_ties(result_of(1, large), "; a hint", messages);
  CHECK_THAT(messages.all().at(0).text, Contains("10 % apart") && Contains("; a hint"));
}

TEST_CASE("a time without simulation in several orders has no spread") {
  CHECK(tie_spread(result_of(0, {})) == 0);
  CHECK(ranged_time_in_words({2e-3, 0, 0}) == "2 ms");
  CHECK_THAT(ranged_time_in_words({2e-3, 1e-4, 3e-4}), Contains("1.9") && Contains("2.3"));
}

TEST_CASE("a limit that is unknown is a dash") {
  CHECK(of_limit_in_words(std::optional<double>()) == "-");
  CHECK_THAT(of_limit_in_words(std::optional(1.08)), Contains("1.08"));
}

TEST_CASE("repeated runs are described by their range and their seed") {
  RunResult result;
  result.repeats = {.runs = 9, .seed = 4, .least_s = 1e-3, .most_s = 1.2e-3};
  CHECK(repeats_in_words(result) == "1 ms to 1.2 ms in 9 runs; this is the median, with seed 4");
}

TEST_CASE("only reasons in the direction of the difference are given") {
  RunResult result = result_of(1, {});
  result.machine.engine = &engine_named("flow");
  result.machine.setup.ports = 1;
  result.described.facts.latency_s = 2e-6;
  result.described.facts.fastest_latency_s = 1e-6;
  result.longest_path_s = 1;
  const auto reasons = [&](double predicted_s) {
    std::string all;
    for (const std::string& each : gap_reasons(result, predicted_s, false, false)) {
      all += each + '\n';
    }
    return all;
  };
  CHECK_THAT(reasons(2), Contains("routes differ"));
  CHECK_THAT(reasons(0.5), !Contains("routes differ"));
  result.longest_path_s = 0.5;
  CHECK_THAT(reasons(0.5), Contains("messages take unequal times"));
  CHECK_THAT(reasons(2), !Contains("messages take unequal times"));
}

}}  // namespace tutti::test_result_words
