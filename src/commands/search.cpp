// tutti search: looks for a schedule that is faster on a network than all known algorithms.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <sstream>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/quantities.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "schedules/verify/verify.hpp"
#include "src/commands/command.hpp"
#include "src/commands/option_group.hpp"
#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/progress.hpp"
#include "src/formats/run_watch.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/search/search.hpp"
#include "src/simulation/machine_bound.hpp"

namespace tutti::inline commands {

namespace {

struct SearchOptions {
  std::string collective;
  ProblemOptions problem;
  MachineOptions machine;
  OptionText time;
  OptionText evaluations;
  OptionText seed;
  OptionText families;
  OptionText jobs;
  OptionText output;
  OptionText json;
};

constexpr std::array kSearched{Collective::allreduce,      Collective::bcast,
                               Collective::reduce,         Collective::reduce_scatter,
                               Collective::allgather,      Collective::alltoall};

using MakeFamily = std::unique_ptr<Family> (*)(const Goal&);
struct NamedFamily {
  std::string_view name;
  MakeFamily make;
};
constexpr std::array<NamedFamily, 4> kFamilies{{{"skips", skips_family},
                                                {"orders", order_family},
                                                {"phases", phases_family},
                                                {"matching", matching_family}}};

// Times all algorithms for a collective, as 'tutti decide' does, and returns them, the fastest
// first.
std::vector<KnownCase> known_cases(Collective collective, const ProblemRequest& problems,
                                   const OpenedMachine& machine, std::size_t jobs,
                                   std::ostream& err) {
  DecisionRequest request;
  request.collective = collective;
  request.crossover = 0;
  request.problems = problems;
  request.machine = machine;
  PreparedDecision prepared = prepare_decision(std::move(request));
  Decision& decision = prepared.decision;
  const auto runner = local_runner(decision.machines.front(), jobs, err);
  carry_out(decision, runner.get(), jobs, false);
  check_something_runs(decision);
  std::vector<KnownCase> found;
  const TimedCell& cell = decision.decisions.front().cells.front();
  for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
    const CandidateTime& time = cell.times[i];
    const Algorithm& algorithm = *decision.candidates[i].contender.algorithm;
    if (algorithm.in_network() || (time.state != CandidateTime::State::timed &&
                                   time.state != CandidateTime::State::beaten)) {
      continue;
    }
    Problem problem = decision.candidates[i].contender.asked.problem(
        algorithm, decision.ranks.front(), cell.bytes);
    if (decision.candidates[i].cuts) {
      problem.segment_bytes = time.segment_bytes;
    }
    found.push_back({&algorithm, problem, time.seconds});
  }
  std::ranges::stable_sort(found, {}, &KnownCase::seconds);
  return found;
}

std::string in_words(const KnownCase& known) {
  const std::string options = options_text(*known.algorithm, known.problem);
  return known.algorithm->full_name() + (options.empty() ? "" : " " + options);
}

int search(const SearchOptions& options, Streams streams) {
  const Stopwatch watch;
  const Collective collective = parse_collective(options.collective);
  if (std::ranges::find(kSearched, collective) == kSearched.end()) {
    std::vector<std::string> names;
    for (const Collective each : kSearched) {
      names.emplace_back(name(each));
    }
    throw UserError(fmt::format("'{}': the search knows only {}", options.collective,
                                fmt::join(names, ", ")));
  }
  options.problem.need_ranks("64");
  SearchAsked setup;
  setup.jobs = parse_jobs(options.jobs);
  setup.most_s = options.time ? parse_time_s("--time", *options.time) : 60;
  if (options.evaluations) {
    setup.most_evaluations = parse_count("--evaluations", *options.evaluations);
    if (!options.time) {
      setup.most_s = std::numeric_limits<double>::infinity();
    }
  }
  if (options.seed) {
    setup.seed = parse_count("--seed", *options.seed);
  }
  const OpenedMachine opened = options.machine.open();
  Algorithm any{};
  any.collective = collective;
  const Algorithm* const only = &any;
  const ProblemRequest problems = parse_request(options.problem, {&only, 1}, {});
  Goal goal;
  goal.known = known_cases(collective, problems, opened, setup.jobs, streams.err);
  if (collective == Collective::allreduce) {
    goal.reduce_scatters =
        known_cases(Collective::reduce_scatter, problems, opened, setup.jobs, streams.err);
    goal.allgathers = known_cases(Collective::allgather, problems, opened, setup.jobs, streams.err);
  }
  const std::uint32_t ranks = problems.ranks.front();
  const Machine machine = opened.machine(ranks, options.problem.ranks_per_host_count(),
                                         problems.each.element_bytes);
  goal.problem = problems.each.problem(any, ranks, problems.bytes.front());
  goal.machine = &machine;
  MachineBounds bounds = bounds_of(machine);
  goal.network = bounds.network;
  goal.host_of_rank = bounds.setup.host_of_rank;
  setup.best_known_s = goal.known.front().seconds;
  setup.bound_s = bounds.bounds.of(goal.problem).seconds();

  streams.out << fmt::format("best known  {}  {:.3f} x limit  {}\n",
                             human_time(setup.best_known_s), setup.best_known_s / setup.bound_s,
                             in_words(goal.known.front()));
  streams.out << fmt::format("limit       {}\n", human_time(setup.bound_s));
  std::vector<std::unique_ptr<Family>> families;
  for (const NamedFamily& each : kFamilies) {
    if (!options.families || options.families->find(each.name) != std::string::npos) {
      families.push_back(each.make(goal));
    }
  }
  const SearchResult result = search_schedules(
      goal, families, setup,
      [&](const Find& find) {
        streams.out << fmt::format("{:>8}  {}  {:.3f} x limit  {:.1f} % less  {}: {}\n",
                                   find.evaluation, human_time(find.seconds),
                                   find.seconds / setup.bound_s,
                                   100 * (1 - find.seconds / setup.best_known_s), find.family,
                                   find.draft->in_words())
                    << std::flush;
      },
      [](std::uint64_t) { return true; });
  for (const FamilyCount& each : result.families) {
    streams.out << fmt::format("{}: {} evaluations, best {}\n", each.name, each.evaluations,
                               each.best_s ? human_time(*each.best_s) : "none");
  }
  streams.out << fmt::format("{} evaluations in {:.1f} s\n", result.evaluations, watch.seconds());
  if (!result.best) {
    return kExitOk;
  }
  const Schedule schedule = result.best->draft->schedule(Detail::payload);
  const Verdict verdict = verify(schedule);
  if (!verdict.proved()) {
    streams.err << "NOT PROVED " << verdict.findings.front().text << '\n';
    return kExitCheckFailed;
  }
  streams.out << "proved\n";
  if (options.output) {
    OutputFile file(*options.output, streams.out);
    print_notation(schedule, "found", file.stream());
    file.commit();
  }
  return kExitOk;
}

}  // namespace

Action add_search(Command& app, Streams streams) {
  Command& command = app.add_command(
      "search", "Look for a schedule that is faster on a network than all known algorithms");
  auto options = std::make_shared<SearchOptions>();
  command.add_option("collective", options->collective, collective_help())
      .type_name("COLLECTIVE")
      .required();
  options->problem.add_to(command);
  const OptionGroup group(command, "Search");
  group.add("--time", options->time, "TIME", "Time to search, such as 5s [60s]");
  group.add("--evaluations", options->evaluations, "COUNT",
            "Number of schedules to try; with the same number and seed, the result is the same");
  group.add("--seed", options->seed, "SEED", "Seed of the random numbers [1]");
  group.add("--families", options->families, "NAMES", "Only these families of schedules");
  group.add("--jobs", options->jobs, "COUNT", "Number of simulations at a time [all processors]");
  group.add("-o,--output", options->output, kWrittenFile, "File for the schedule");
  add_json_option(command, options->json, "the result");
  options->machine.add_to(command, false);
  command.add_examples({"tutti search alltoall -p 64 -n 1MiB --platform platforms/torus_64.xml",
                        "tutti search allreduce -p 64 -n 1MiB --platform "
                        "platforms/slingshot_128.xml --time 5s",
                        "tutti search allgather -p 12 -n 12KiB --evaluations 1000"});
  return [options, streams] { return search(*options, streams); };
}

}  // namespace tutti::inline commands
