#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/human.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/decisions/rival.hpp"
#include "src/experiments/doctor/expectation.hpp"
#include "src/simulation/machine_bound.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace experiments {

namespace {

// A library whose choices are not known may take this many times as long as the fastest algorithm.
constexpr double kOfFastest = 1.5;

struct SimulatedChoice {
  double time_s = 0;
  std::string choice;
};

std::optional<double> simulated_s(const Algorithm& algorithm, const Problem& problem,
                                  const Machine& machine) {
  if (algorithm.refusal != nullptr && algorithm.refusal(problem)) {
    return std::nullopt;
  }
  const Outcome outcome = tutti::outcome_of([&]() -> Outcome {
    return Outcome(simulate(algorithm, problem, machine, Detail::times_only).result);
  });
  const RunResult* const result = outcome.result();
  return result == nullptr ? std::nullopt : std::optional(result->simulated_s);
}

// Simulates what ran for the sizes of a curve.
class ChoiceTimes {
 public:
  ChoiceTimes(const MeasuredCurve& curve, const ExpectationOptions& options, std::uint32_t per_host,
              const Machine& machine)
      : curve_(curve), machine_(machine) {
    template_.element_bytes = curve.element_bytes;
    template_.ranks_per_host = per_host;
    if (curve.algorithm == nullptr && options.library) {
      rival_ = rival_named(*options.library, curve.collective, template_);
    }
  }

  // Returns nothing if no algorithm can be simulated.
  [[nodiscard]] std::optional<SimulatedChoice> of(std::uint64_t bytes) const {
    if (curve_.algorithm != nullptr) {
      return of_algorithm(*curve_.algorithm, named_problem(bytes));
    }
    if (rival_) {
      const RivalChoice chosen =
          rival_->choose(plain_problem(curve_.collective, template_, curve_.ranks, bytes));
      return chosen.run.what ? of_algorithm(*chosen.run.what->algorithm, chosen.run.what->problem)
                             : std::nullopt;
    }
    std::optional<SimulatedChoice> fastest;
    for (const Algorithm* const each : algorithms()) {
      if (each->collective != curve_.collective || each->in_network()) {
        continue;
      }
      const auto time =
          of_algorithm(*each, template_.applicable_to(*each).problem(*each, curve_.ranks, bytes));
      if (time && (!fastest || time->time_s < fastest->time_s)) {
        fastest = time;
      }
    }
    return fastest;
  }
  // True if the library's choices are not known.
  [[nodiscard]] bool of_fastest() const { return curve_.algorithm == nullptr && !rival_; }

 private:
  [[nodiscard]] std::optional<SimulatedChoice> of_algorithm(const Algorithm& algorithm,
                                                            const Problem& problem) const {
    const auto time_s = simulated_s(algorithm, problem, machine_);
    return time_s ? std::optional(SimulatedChoice{*time_s, std::string(algorithm.name)})
                  : std::nullopt;
  }

  [[nodiscard]] Problem named_problem(std::uint64_t bytes) const {
    BenchmarkPoint point;
    point.file = curve_.file;
    point.line = curve_.line;
    point.collective = curve_.collective;
    point.ranks = curve_.ranks;
    point.bytes = bytes;
    point.element_bytes = curve_.element_bytes;
    point.algorithm = curve_.algorithm;
    point.algorithm_text = curve_.algorithm_text;
    point.algorithm_options = curve_.algorithm_options;
    return problem_of(point, template_.ranks_per_host);
  }

  const MeasuredCurve& curve_;
  const Machine& machine_;
  ProblemTemplate template_;
  std::optional<Rival> rival_;
};

// Fills in the times of rows that were not simulated, between those of the rows beside them.
void interpolate(const MeasuredCurve& curve, std::vector<std::optional<ExpectedRow>>& rows) {
  std::optional<std::size_t> before;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i]) {
      continue;
    }
    for (std::size_t j = before ? *before + 1 : i; j < i; ++j) {
      const auto position = [&](std::size_t row) {
        return std::log(static_cast<double>(curve.rows[row].bytes) + 1);
      };
      const double share = (position(j) - position(*before)) / (position(i) - position(*before));
      ExpectedRow row = *rows[*before];
      const double factor = std::pow(rows[i]->low_s / row.low_s, share);
      row.low_s *= factor;
      row.high_s *= factor;
      row.simulated_s = std::nullopt;
      rows[j] = row;
    }
    before = i;
  }
}

// Number of rows of which one is simulated, so that the simulations take about a second.
std::size_t stride_of(const MeasuredCurve& curve, bool all_algorithms) {
  constexpr double kMostWork = 40'000;  // ranks times algorithms times sizes
  constexpr double kAlgorithms = 25;
  const double work =
      static_cast<double>(curve.rows.size()) * curve.ranks * (all_algorithms ? kAlgorithms : 1);
  return static_cast<std::size_t>(std::ceil(std::max(work / kMostWork, 1.0)));
}

void expect_choices(const MeasuredCurve& curve, const ExpectationOptions& options,
                    Expectation& expected) {
  const std::uint32_t per_host = curve.nodes ? (curve.ranks + *curve.nodes - 1) / *curve.nodes : 1;
  const Machine machine = options.platform->machine(curve.ranks, per_host, curve.element_bytes);
  const ChoiceTimes times(curve, options, per_host, machine);
  Limits limits(machine);
  const std::size_t stride = stride_of(curve, times.of_fastest());
  for (std::size_t i = 0; i < curve.rows.size(); ++i) {
    const std::uint64_t bytes = curve.rows[i].bytes;
    if ((i % stride != 0 && i + 1 != curve.rows.size()) || bytes % curve.element_bytes != 0) {
      continue;
    }
    if (const auto choice = times.of(bytes)) {
      ExpectedRow row;
      row.simulated_s = row.low_s = row.high_s = choice->time_s;
      row.high_s *= times.of_fastest() ? kOfFastest : 1;
      row.choice = choice->choice;
      expected.rows[i] = row;
    }
  }
  interpolate(curve, expected.rows);
  double startup_s = 0;
  ProblemTemplate plain;
  plain.element_bytes = curve.element_bytes;
  plain.ranks_per_host = per_host;
  for (std::size_t i = 0; i < curve.rows.size(); ++i) {
    if (expected.rows[i]) {
      startup_s = startup_s == 0 ? expected.rows[i]->high_s : startup_s;
      expected.rows[i]->startup_s = startup_s;
      if (curve.rows[i].bytes % curve.element_bytes == 0) {
        expected.rows[i]->limit_s =
            limits.of(plain_problem(curve.collective, plain, curve.ranks, curve.rows[i].bytes));
      }
    }
  }
  expected.by = curve.algorithm != nullptr ? "a simulation of the algorithm"
                : options.library          ? *options.library
                                           : "the fastest algorithm";
  if (times.of_fastest()) {
    expected.assumed.push_back(fmt::format(
        "the library takes up to {:g} times as long as the fastest algorithm; $library names it",
        kOfFastest));
  }
  if (!curve.nodes) {
    expected.assumed.emplace_back("one rank on each host; $nodes says how many nodes there were");
  }
  expected.machine = describe(machine).facts.name;
}

}  // namespace

Expectation mpi_expectation(const MeasuredCurve& curve, const ExpectationOptions& options) {
  Expectation expected;
  expected.rows.resize(curve.rows.size());
  if (options.platform == nullptr) {
    expected.why_not = fmt::format(
        "the machine is not known; give $platform, a file of 'tutti platform', or the link of each "
        "node, such as crossbar:{},bw=100Gbps,lat=1us",
        curve.nodes.value_or(curve.ranks));
    return expected;
  }
  expect_choices(curve, options, expected);
  if (std::ranges::none_of(expected.rows, [](const auto& row) { return row.has_value(); })) {
    expected.why_not = fmt::format("no algorithm for {} on {} can be simulated", curve.call(),
                                   counted(curve.ranks, "rank"));
  }
  return expected;
}

}}  // namespace tutti::experiments
