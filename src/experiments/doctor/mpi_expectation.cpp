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

// Number of messages that are simulated for one curve, which takes about a second.
constexpr double kMostMpiMessages = 2'000'000;
// Number of sizes that are simulated before algorithms with many messages are left out.
constexpr std::size_t kFewestSizes = 3;

// Returns the number of messages of a schedule; nothing if the algorithm cannot make it.
std::optional<double> counted_messages(const Algorithm& algorithm, const Problem& problem) {
  if (algorithm.refusal != nullptr && algorithm.refusal(problem)) {
    return std::nullopt;
  }
  try {
    return static_cast<double>(make_schedule(algorithm, problem, Detail::times_only).messages());
  } catch (const UserError&) {
    return std::nullopt;
  }
}

// Returns about how many messages a schedule has. Schedules on few ranks show how the number grows
// with the ranks.
double messages_of(const Algorithm& algorithm, Problem problem) {
  constexpr std::uint32_t kProbedRanks = 32;
  const double ranks = problem.ranks;
  const double of_pairs = 2 * ranks * ranks;
  if (problem.ranks <= kProbedRanks) {
    return counted_messages(algorithm, problem).value_or(of_pairs);
  }
  problem.ranks = kProbedRanks;
  const auto more = counted_messages(algorithm, problem);
  problem.ranks = kProbedRanks / 2;
  const auto fewer = counted_messages(algorithm, problem);
  if (!more || !fewer || *fewer < 1) {
    return of_pairs;
  }
  // The number grows with p log p at most, or with p squared.
  constexpr double kOfSquare = 1.5;
  const double times = ranks / kProbedRanks;
  const bool squares = std::log2(*more / *fewer) > kOfSquare;
  // A schedule for alltoall has a block for each pair of ranks, also if it has few messages. Such
  // blocks take less time than messages.
  constexpr double kBlocksOfMessage = 64;
  const double blocks = problem.collective == Collective::alltoall ? ranks * ranks : 0;
  return blocks / kBlocksOfMessage +
         *more * times * (squares ? times : std::log2(ranks) / std::log2(kProbedRanks));
}

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

// An algorithm that may have run.
struct PossibleRun {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  double messages = 0;  // about
};

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

  // Returns what may have run, the algorithms with the fewest messages first. Some may refuse the
  // problem: asking them may take longer than a simulation.
  [[nodiscard]] std::vector<PossibleRun> candidates(std::uint64_t bytes) const {
    std::vector<PossibleRun> found;
    const auto add = [&](const Algorithm& algorithm, const Problem& problem) {
      found.push_back({&algorithm, problem, messages_of(algorithm, problem)});
    };
    if (curve_.algorithm != nullptr) {
      add(*curve_.algorithm, named_problem(bytes));
    } else if (rival_) {
      const RivalChoice chosen =
          rival_->choose(plain_problem(curve_.collective, template_, curve_.ranks, bytes));
      if (chosen.run.what) {
        add(*chosen.run.what->algorithm, chosen.run.what->problem);
      }
    } else {
      for (const Algorithm* const each : algorithms()) {
        if (each->collective == curve_.collective && !each->in_network()) {
          add(*each, template_.applicable_to(*each).problem(*each, curve_.ranks, bytes));
        }
      }
    }
    std::ranges::stable_sort(found, {}, &PossibleRun::messages);
    return found;
  }
  // Returns the fastest candidate of those with the fewest messages, `most_messages` together;
  // nothing if none can be simulated. Adds the number of the other candidates to `left_out`.
  [[nodiscard]] std::optional<SimulatedChoice> fastest(const std::vector<PossibleRun>& candidates,
                                                       double most_messages,
                                                       std::size_t& left_out) const {
    std::optional<SimulatedChoice> best;
    double messages = 0;
    for (const PossibleRun& each : candidates) {
      messages += each.messages;
      if (messages > most_messages) {
        ++left_out;
        continue;
      }
      const auto time_s = simulated_s(*each.algorithm, each.problem, machine_);
      if (time_s && (!best || *time_s < best->time_s)) {
        best = SimulatedChoice{*time_s, std::string(each.algorithm->name)};
      }
    }
    return best;
  }
  // True if the library's choices are not known.
  [[nodiscard]] bool of_fastest() const { return curve_.algorithm == nullptr && !rival_; }

 private:
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

// Returns the rows whose sizes are simulated: all, or as many, evenly spaced, as have few enough
// messages.
std::vector<std::size_t> rows_to_simulate(const MeasuredCurve& curve, const ChoiceTimes& times) {
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < curve.rows.size(); ++i) {
    if (curve.rows[i].bytes % curve.element_bytes == 0) {
      whole.push_back(i);
    }
  }
  if (whole.size() <= kFewestSizes) {
    return whole;
  }
  double largest = 1;
  for (const std::size_t row : {whole.front(), whole.back()}) {
    double messages = 0;
    for (const PossibleRun& each : times.candidates(curve.rows[row].bytes)) {
      messages += each.messages;
    }
    largest = std::max(largest, messages);
  }
  const auto fitting = static_cast<std::size_t>(std::clamp(
      kMostMpiMessages / largest, 1.0 * kFewestSizes, static_cast<double>(whole.size())));
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < fitting; ++i) {
    rows.push_back(whole[i * (whole.size() - 1) / (fitting - 1)]);
  }
  return rows;
}

// Returns the bytes that a host reduces in a second if the user does not say it: the speed of a
// platform without a file is a default. Nothing if it is known, or if nothing is reduced.
std::optional<double> assumed_reduction_bytes_per_s(const MeasuredCurve& curve,
                                                    const ExpectationOptions& options,
                                                    const Machine& machine) {
  const MachineSpec& spec = options.platform->spec;
  if (!reduces(curve.collective) || !spec.built_in() || spec.prices.gamma_s_per_byte ||
      !spec.parameters.empty()) {
    return std::nullopt;
  }
  return describe(machine).facts.speed_flops_per_s * curve.element_bytes;
}

void expect_choices(const MeasuredCurve& curve, const ExpectationOptions& options,
                    Expectation& expected) {
  const std::uint32_t per_host = curve.nodes ? (curve.ranks + *curve.nodes - 1) / *curve.nodes : 1;
  const Machine machine = options.platform->machine(curve.ranks, per_host, curve.element_bytes);
  const ChoiceTimes times(curve, options, per_host, machine);
  Limits limits(machine);
  const auto assumed_rate = assumed_reduction_bytes_per_s(curve, options, machine);
  const std::vector<std::size_t> rows = rows_to_simulate(curve, times);
  std::size_t left_out = 0;
  for (const std::size_t i : rows) {
    if (const auto choice =
            times.fastest(times.candidates(curve.rows[i].bytes),
                          kMostMpiMessages / static_cast<double>(rows.size()), left_out)) {
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
      // An assumed speed of reductions shows no limit of the machine.
      if (curve.rows[i].bytes % curve.element_bytes == 0 && !assumed_rate) {
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
  if (left_out > 0 && std::ranges::none_of(expected.rows, &std::optional<ExpectedRow>::has_value)) {
    expected.why_not = fmt::format("schedules on {} have too many messages to simulate{}",
                                   counted(curve.ranks, "rank"),
                                   times.of_fastest() ? "; $library names the library" : "");
    return;
  }
  if (left_out > 0) {
    expected.assumed.push_back(fmt::format(
        "no algorithm with too many messages to simulate on {} ran{}", counted(curve.ranks, "rank"),
        times.of_fastest() ? "; $library names the library" : ""));
  }
  if (assumed_rate) {
    expected.assumed.push_back(
        fmt::format("each host reduces {} of data; $gamma gives the time to reduce a byte",
                    human_rate(*assumed_rate)));
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
  if (expected.why_not.empty() &&
      std::ranges::none_of(expected.rows, [](const auto& row) { return row.has_value(); })) {
    expected.why_not = fmt::format("no algorithm for {} on {} can be simulated", curve.call(),
                                   counted(curve.ranks, "rank"));
  }
  return expected;
}

}}  // namespace tutti::experiments
