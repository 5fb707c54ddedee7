// tutti search: looks for a schedule that is faster on a network than all known algorithms.
#include "src/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <sstream>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/stopwatch.hpp"
#include "base/text_lines.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "src/commands/command.hpp"
#include "src/commands/option_group.hpp"
#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/search_output.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/problem_request.hpp"
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

constexpr std::array kSearched{Collective::allreduce, Collective::bcast,
                               Collective::reduce,    Collective::reduce_scatter,
                               Collective::allgather, Collective::alltoall};

using MakeFamily = std::unique_ptr<Family> (*)(const Goal&);
struct NamedFamily {
  std::string_view name;
  MakeFamily make;
};
constexpr std::array<NamedFamily, 6> kFamilies{{{"options", options_family},
                                                {"skips", skips_family},
                                                {"orders", order_family},
                                                {"phases", phases_family},
                                                {"matching", matching_family},
                                                {"trees", trees_family}}};

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
    if (algorithm.in_network() ||
        (time.state != CandidateTime::State::timed && time.state != CandidateTime::State::beaten)) {
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

Collective searched_collective(const std::string& text) {
  const Collective collective = parse_collective(text);
  if (std::ranges::find(kSearched, collective) == kSearched.end()) {
    std::vector<std::string_view> names;
    for (const Collective each : kSearched) {
      names.push_back(name(each));
    }
    throw UserError(fmt::format("'{}': there is no search for this collective; expected {}", text,
                                alternatives(names)));
  }
  return collective;
}

SearchAsked asked_search(const SearchOptions& options) {
  SearchAsked asked;
  asked.jobs = parse_jobs(options.jobs);
  if (options.time) {
    asked.most_s = parse_time_s("--time", *options.time);
  }
  if (options.evaluations) {
    asked.most_evaluations = parse_count("--evaluations", *options.evaluations);
    if (!options.time) {
      asked.most_s = std::numeric_limits<double>::infinity();
    }
  }
  if (options.seed) {
    asked.seed = parse_count("--seed", *options.seed);
  }
  return asked;
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const NamedFamily& each : kFamilies) {
    names.emplace_back(each.name);
  }
  return names;
}

std::vector<MakeFamily> asked_families(const SearchOptions& options) {
  std::vector<std::string_view> wanted;
  if (options.families) {
    wanted = split(*options.families, ',');
    for (const std::string_view word : wanted) {
      check_word("--families", word, family_names());
    }
  }
  std::vector<MakeFamily> asked;
  for (const NamedFamily& each : kFamilies) {
    if (!options.families || std::ranges::find(wanted, each.name) != wanted.end()) {
      asked.push_back(each.make);
    }
  }
  return asked;
}

// Writes the schedule, with a comment that says how it was made.
void write_find(const SearchReport& report, const Schedule& schedule, OutputFile& file) {
  const Find& best = *report.result.best;
  std::ostringstream text;
  print_notation(schedule, fmt::format("found_{}", best.family), text);
  const std::string notation = std::move(text).str();
  const std::size_t first_line = notation.find('\n') + 1;
  file.stream() << notation.substr(0, first_line)
                << fmt::format(
                       "# Found by 'tutti search', family {}: {}.\n"
                       "# On {}: {}; the best known algorithm, {}, takes {}.\n"
                       "# Seed {}, found after {} schedules.\n",
                       best.family, printable(best.draft->in_words()), printable(report.platform),
                       human_time(best.seconds), report.known, human_time(report.known_s),
                       report.asked.seed, best.evaluation)
                << notation.substr(first_line);
  file.commit();
}

int search(const SearchOptions& options, Streams streams) {
  const Stopwatch watch;
  const Collective collective = searched_collective(options.collective);
  options.problem.need_ranks("64");
  SearchReport report;
  report.asked = asked_search(options);
  const std::size_t jobs = report.asked.jobs;
  const std::vector<MakeFamily> makers = asked_families(options);
  const OpenedMachine opened = options.machine.open();
  Algorithm any{};
  any.collective = collective;
  const Algorithm* const only = &any;
  const ProblemRequest problems = parse_request(options.problem, {&only, 1}, {});
  const std::uint32_t ranks = problems.ranks.front();
  const Machine machine =
      opened.machine(ranks, options.problem.ranks_per_host_count(), problems.each.element_bytes);
  MachineBounds bounds = bounds_of(machine);
  Goal goal;
  goal.problem = report.problem = problems.each.problem(any, ranks, problems.bytes.front());
  check(any, goal.problem);
  goal.machine = &machine;
  goal.network = bounds.network;
  goal.host_of_rank = bounds.setup.host_of_rank;
  goal.known = known_cases(collective, problems, opened, jobs, streams.err);
  if (collective == Collective::allreduce) {
    goal.reduce_scatters =
        known_cases(Collective::reduce_scatter, problems, opened, jobs, streams.err);
    goal.allgathers = known_cases(Collective::allgather, problems, opened, jobs, streams.err);
  }
  AskedOutput json(options.json, streams.out);
  std::optional<OutputFile> file;
  if (options.output) {
    file.emplace(*options.output, streams.out);
  }
  report.platform = platform_name(machine);
  report.known = with_options(*goal.known.front().algorithm, goal.known.front().problem);
  report.known_s = report.asked.best_known_s = goal.known.front().seconds;
  report.bound_s = report.asked.bound_s = bounds.bounds.of(goal.problem).seconds();
  const bool shown = options.json != "-" && options.output != "-";
  if (shown) {
    print_search_head(report, streams.out);
  }
  const WhenInterrupted when_interrupted([] { return std::string("; the best was kept"); },
                                         WhenInterrupted::End::by_itself);
  std::vector<std::unique_ptr<Family>> families;
  for (const MakeFamily make : makers) {
    families.push_back(make(goal));
  }
  report.result = search_schedules(
      goal, families, report.asked,
      [&](const Find& find) {
        if (shown) {
          print_find(report, find, streams.out);
        }
      },
      [](std::uint64_t) { return interrupted() == 0; });
  if (report.result.best) {
    const Schedule schedule = report.result.best->draft->schedule(Detail::payload);
    report.verdict = verify(schedule);
    if (!report.verdict.proved()) {
      throw InvariantError("a schedule that was found is wrong (" +
                           report.result.best->draft->in_words() +
                           "): " + report.verdict.findings.front().text);
    }
    const Schedule known = make_schedule(*goal.known.front().algorithm, goal.known.front().problem);
    report.robustness = robustness_of(schedule, known, machine);
    if (file) {
      report.file = *options.output;
      write_find(report, schedule, *file);
    }
  }
  report.wall_s = watch.seconds();
  if (shown) {
    print_search_end(report, streams.out);
  }
  json.write([&](std::ostream& out) { out << json_text(search_json(report), 2) << '\n'; });
  when_interrupted.stop_if_interrupted();
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
  group.add("--families", options->families, "NAMES",
            "Only these families of schedules: options, skips, orders, phases, matching, trees");
  group.add("--jobs", options->jobs, "COUNT", "Number of simulations at a time [all processors]");
  group.add("-o,--output", options->output, kWrittenFile, "File for the schedule");
  add_json_option(command, options->json, "the result");
  options->machine.add_to(command, false);
  command.add_examples(
      {"tutti search alltoall -p 64 -n 16MiB --platform platforms/torus_64.xml --time 3s",
       "tutti search allreduce -p 64 -n 1MiB --platform platforms/slingshot_128.xml "
       "--evaluations 200",
       "tutti search allreduce -p 12 -n 4MiB --ranks-per-host 4 --families skips --platform "
       "platforms/smp_16x8.xml --time 3s"});
  return [options, streams] { return search(*options, streams); };
}

}  // namespace tutti::inline commands
