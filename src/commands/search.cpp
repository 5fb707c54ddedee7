// tutti search: looks for a schedule that is faster on a network than all known algorithms.
#include "src/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <sstream>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/messages.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/stopwatch.hpp"
#include "base/text_lines.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/runner/proof_cells.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/search_output.hpp"
#include "src/requests/contender_options.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/simulation/flow_run.hpp"
#include "src/simulation/machine_bound.hpp"

namespace tutti { inline namespace commands {

namespace {

using MakeFamily = std::unique_ptr<Family> (*)(const Goal&);
struct NamedFamily {
  std::string_view name;
  MakeFamily make;
};
constexpr std::array<NamedFamily, 7> kFamilies{{{"options", options_family},
                                                {"skips", skips_family},
                                                {"orders", order_family},
                                                {"phases", phases_family},
                                                {"matching", matching_family},
                                                {"trees", trees_family},
                                                {"nodes", nodes_family}}};

struct SearchOptions {
  std::string collective;
  ContenderOptions contenders;
  ProblemOptions problem;
  MachineOptions machine;
  std::optional<double> time_s;
  std::optional<std::uint32_t> evaluations;
  std::optional<std::uint32_t> seed;
  std::optional<ValueWithText<std::vector<MakeFamily>>> families;
  std::size_t jobs = processors();
  std::optional<std::string> output;  // path of a file
  JsonPath json;
};

constexpr std::array kSearched{Collective::allreduce, Collective::bcast,
                               Collective::reduce,    Collective::reduce_scatter,
                               Collective::allgather, Collective::alltoall};

// The algorithms for a collective with their times at each size, the fastest first.
using KnownCases = std::vector<std::vector<KnownCase>>;

// Times all algorithms for a collective, as 'tutti decide' does.
KnownCases known_cases(Collective collective, const ProblemRequest& problems,
                       const OpenedMachine& machine, std::size_t jobs, Messages& messages) {
  DecisionRequest request;
  request.collective = collective;
  request.crossover = 0;
  request.problems = problems;
  request.machine = machine;
  PreparedDecision prepared = prepare_decision(std::move(request));
  Decision& decision = prepared.decision;
  const auto runner = local_runner(decision.machines.front(), jobs, messages);
  carry_out(decision, runner.get(), jobs, false);
  check_something_runs(decision);
  KnownCases found;
  for (const TimedCell* cell : decision.decisions.front().cells_by_size()) {
    std::vector<KnownCase>& cases = found.emplace_back();
    for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
      const CandidateTime& time = cell->times[i];
      const Candidate& candidate = decision.candidates[i];
      const Algorithm& algorithm = *candidate.contender.algorithm;
      if (algorithm.in_network() || (time.state != CandidateTime::State::timed &&
                                     time.state != CandidateTime::State::beaten)) {
        continue;
      }
      Problem problem = candidate.contender.problem_template.problem(
          algorithm, decision.ranks.front(), cell->bytes);
      if (candidate.cuts) {
        problem.segment_bytes = time.segment_bytes;
      }
      cases.push_back({&algorithm, problem, time.seconds});
    }
    std::ranges::stable_sort(cases, {}, &KnownCase::seconds);
  }
  return found;
}

std::vector<std::string_view> searched_names() {
  std::vector<std::string_view> names;
  for (const Collective each : kSearched) {
    names.push_back(name(each));
  }
  return names;
}

Collective searched_collective(const std::string& text) {
  return parse_collective(
      text, {.collectives = kSearched, .why_no_other = "there is no search for this collective"});
}

SearchBudget search_budget(const SearchOptions& options) {
  SearchBudget budget;
  budget.jobs = options.jobs;
  if (options.evaluations) {
    budget.most_evaluations = *options.evaluations;
    budget.most_s = std::numeric_limits<double>::infinity();
  }
  budget.most_s = options.time_s.value_or(budget.most_s);
  budget.seed = options.seed.value_or(budget.seed);
  return budget;
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const NamedFamily& each : kFamilies) {
    names.emplace_back(each.name);
  }
  return names;
}

// Parses names of families, separated by commas.
std::vector<MakeFamily> parse_families(std::string_view from, const std::string& text) {
  const std::vector<std::string_view> wanted = split(text, ',');
  for (const std::string_view word : wanted) {
    check_word(from, word, family_names());
  }
  std::vector<MakeFamily> families;
  for (const NamedFamily& each : kFamilies) {
    if (std::ranges::find(wanted, each.name) != wanted.end()) {
      families.push_back(each.make);
    }
  }
  return families;
}

std::vector<MakeFamily> all_families() {
  std::vector<MakeFamily> families;
  for (const NamedFamily& each : kFamilies) {
    families.push_back(each.make);
  }
  return families;
}

bool is_program(std::string_view path) { return without_gzip_ending(path).ends_with(".sched"); }

// Returns the paths of the files for the schedules: one for each size if there are several.
std::vector<std::string> paths_for(const SearchOptions& options,
                                   const std::vector<std::uint64_t>& sizes) {
  if (!options.output) {
    return {};
  }
  const std::string& path = *options.output;
  if (sizes.size() == 1) {
    return {path};
  }
  if (!is_program(path)) {
    throw UserError(fmt::format(
        "$output '{}': for several sizes, the files are programs; give a name that ends in "
        ".sched, such as found.sched for found_{}.sched and so on",
        path, sizes.front()));
  }
  std::vector<std::string> paths;
  for (const std::uint64_t bytes : sizes) {
    paths.push_back(fmt::format("{}_{}.sched", path.substr(0, path.size() - 6), bytes));
  }
  return paths;
}

// Returns the schedule that was found.
Schedule schedule_of(const SearchReport& report) {
  return report.result.best->draft->schedule(Detail::payload);
}

// Writes the schedule, or a program that makes it, with a comment that says how it was found.
void write_find(const SearchReport& report, std::ostream& out) {
  const Schedule schedule = schedule_of(report);
  const Find& best = *report.result.best;
  const std::string name = fmt::format("found_{}_{}", best.family, report.problem.bytes);
  std::ostringstream text;
  if (is_program(report.file)) {
    print_program(schedule, name, text);
  } else {
    print_notation(schedule, name, text);
  }
  const std::string notation = std::move(text).str();
  const std::size_t first_line = notation.find('\n') + 1;
  out << notation.substr(0, first_line)
      << fmt::format(
             "# Found by 'tutti search', family {}: {}.\n"
             "# {} of {} on {} of {}, {} on each host, ports {}: {}.\n"
             "# The best known algorithm, {}, takes {}.\n"
             "# Seed {}, schedule {} of the search.\n",
             best.family, printable(best.draft->in_words()), tutti::name(report.problem.collective),
             human_bytes(report.problem.bytes), counted(report.problem.ranks, "rank"),
             printable(report.platform), report.ranks_per_host,
             report.ports == kUnlimitedPorts ? "unlimited" : std::to_string(report.ports),
             human_time(best.seconds), report.known, human_time(report.known_s), report.budget.seed,
             best.evaluation)
      << notation.substr(first_line);
}

// A search for one size. Drafts refer to the goal and the families.
struct SizeSearch {
  Goal goal;
  KnownCase baseline;  // the fastest of goal.known and the user's schedules
  std::vector<std::unique_ptr<Family>> families;
};

// Searches. Proves what is found, and runs it beside the best known algorithm. `out` may be null.
void run(SearchReport& report, const SizeSearch& one, std::ostream* out) {
  const Stopwatch watch;
  if (out != nullptr) {
    print_search_head(report, *out);
  }
  report.result = search_schedules(
      one.goal, one.families, report.budget,
      [&](const Find& find) {
        if (out != nullptr) {
          print_find(report, find, *out);
        }
      },
      [] { return interrupted() == 0; });
  if (!report.result.best) {
    report.file.clear();
  } else {
    const Schedule schedule = schedule_of(report);
    report.verdict = verify(schedule);
    if (!report.verdict.proved()) {
      throw InvariantError("a schedule that was found is wrong (" +
                           report.result.best->draft->in_words() +
                           "): " + report.verdict.findings.front().text);
    }
    const KnownCase& known = one.baseline;
    report.robustness =
        robustness_of(schedule, make_schedule(*known.algorithm, known.problem), *one.goal.machine);
  }
  report.wall_s = watch.seconds();
  if (out != nullptr) {
    print_search_end(report, *out);
  }
}

// Chooses for each size the best of all finds, and keeps the finds that are chosen.
void choose_for_sizes(std::vector<SearchReport>& reports, const Machine& machine) {
  std::vector<std::vector<std::optional<double>>> found_s(reports.size());
  std::vector<double> known_s;
  for (std::size_t find = 0; find < reports.size(); ++find) {
    known_s.push_back(reports[find].known_s);
    for (std::size_t size = 0; size < reports.size(); ++size) {
      std::optional<double>& seconds = found_s[find].emplace_back();
      if (reports[find].result.best) {
        seconds = size == find
                      ? reports[find].result.best->seconds
                      : time_at(schedule_of(reports[find]), reports[size].problem, machine);
      }
    }
  }
  for (std::size_t size = 0; const SizeChoice& choice : choose_finds(found_s, known_s)) {
    reports[size++].choice = choice;
  }
}

// The user's schedules for one size, the fastest first.
using GivenCases = std::vector<std::pair<CaseRun, GivenSchedule>>;

// The parsed request, and the times of known algorithms.
struct SearchInput {
  Algorithm any{};  // only its collective is set
  Programs programs;
  std::vector<GivenCases> given;  // for each size
  OpenedMachine opened;
  ProblemRequest problems;
  Machine machine;
  std::vector<MakeFamily> makers;
  SearchBudget budget;
  KnownCases known;
  KnownCases reduce_scatters;
  KnownCases allgathers;
};

// Throws UserError for bad input. Does not time anything yet.
SearchInput parsed(const SearchOptions& options, Streams streams) {
  SearchInput input;
  input.any.collective = searched_collective(options.collective);
  input.programs =
      options.contenders.programs(input.any.collective, options.problem, streams.sources);
  ProblemOptions problem = options.problem;
  take_problems(input.programs, problem, streams.messages);
  problem.need_ranks("64");
  input.budget = search_budget(options);
  input.makers = options.families ? options.families->value : all_families();
  input.opened = options.machine.open(streams.messages);
  const Algorithm* const only = &input.any;
  input.problems = parse_request(problem, {&only, 1}, {});
  if (input.problems.ranks.size() != 1) {
    throw UserError(
        fmt::format("$ranks '{}': a search is for one number of ranks; give one, such as {}",
                    problem.ranks->text, input.problems.ranks.back()));
  }
  std::vector<std::uint64_t>& sizes = input.problems.bytes;
  if (sizes.empty()) {
    throw UserError("the size is missing; give $bytes, such as 1MiB or 8..16MiB*2");
  }
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  input.machine =
      input.opened.machine(input.problems.ranks.front(), options.problem.ranks_per_host_count(),
                           input.problems.each.element_bytes);
  check_searchable(input.machine);
  ask_for_routes(input.machine);
  return input;
}

// Proves and times the user's schedules at each size. Returns false if one of them is wrong.
bool time_given(SearchInput& input, bool no_verify, Messages& messages) {
  if (input.programs.empty()) {
    return true;
  }
  std::vector<CaseRun> runs;
  for (const std::uint64_t bytes : input.problems.bytes) {
    for (const Algorithm* algorithm : algorithms_of(input.programs)) {
      const Contender contender{algorithm, input.problems.each.applicable_to(*algorithm),
                                std::string(algorithm->name)};
      runs.push_back(first_look(contender, input.problems.ranks.front(), bytes));
      runs.back().machine = &input.machine;
    }
  }
  std::vector<ProofCell> cells;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < runs.size() && !no_verify; ++i) {
    if (runs[i].outcome.open()) {
      cells.push_back({runs[i].algorithm, runs[i].problem});
      places.push_back(i);
    }
  }
  if (!prove_programs(cells, messages, [&](std::size_t cell, const std::string& why) {
        runs[places[cell]].outcome = Refusal{RefusalKind::problem, why};
      })) {
    return false;
  }
  local_runner(input.machine, input.budget.jobs, messages)->run(runs, "timing");
  const std::size_t of_each = input.programs.size();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    GivenSchedule given{.name = std::string(runs[i].algorithm->name),
                        .file = program_of(*runs[i].algorithm, runs[i].problem)};
    if (const RunResult* const result = runs[i].outcome.result()) {
      given.seconds = result->simulated_s;
      given.unproved = result->why_unproved();
    } else {
      given.refused = runs[i].outcome.why_not();
    }
    if (i % of_each == 0) {
      input.given.emplace_back();
    }
    input.given.back().emplace_back(std::move(runs[i]), std::move(given));
  }
  return true;
}

void time_known(SearchInput& input, Messages& messages) {
  const auto known = [&](Collective collective) {
    return known_cases(collective, input.problems, input.opened, input.budget.jobs, messages);
  };
  input.known = known(input.any.collective);
  if (input.any.collective == Collective::allreduce) {
    input.reduce_scatters = known(Collective::reduce_scatter);
    input.allgathers = known(Collective::allgather);
  }
}

// Fills in the goal, the families and the report for the size with the index `size`.
void prepare(const SearchInput& input, std::size_t size, MachineBounds& bounds, SizeSearch& one,
             SearchReport& report) {
  Goal& goal = one.goal;
  goal.problem = report.problem = input.problems.each.problem(
      input.any, input.problems.ranks.front(), input.problems.bytes[size]);
  check(input.any, goal.problem);
  goal.machine = &input.machine;
  goal.network = bounds.network;
  goal.host_of_rank = bounds.setup.host_of_rank;
  goal.known = input.known[size];
  one.baseline = goal.known.front();
  report.known = with_options(*one.baseline.algorithm, one.baseline.problem);
  for (const auto& [run, given] : input.given.empty() ? GivenCases() : input.given[size]) {
    report.given.push_back(given);
    if (given.seconds && given.unproved.empty() && *given.seconds < one.baseline.seconds) {
      one.baseline = {run.algorithm, run.problem, *given.seconds};
      report.known = given.name;
    }
  }
  if (!input.allgathers.empty()) {
    goal.reduce_scatters = input.reduce_scatters[size];
    goal.allgathers = input.allgathers[size];
  }
  report.platform = platform_name(input.machine);
  report.ports = input.machine.setup.ports;
  report.budget = input.budget;
  report.known_s = report.budget.best_known_s = one.baseline.seconds;
  report.bound_s = report.budget.bound_s = bounds.bounds.of(goal.problem).seconds();
  for (const MakeFamily make : input.makers) {
    one.families.push_back(make(goal));
  }
}

// Throws UserError if the user named families, and none of them has schedules for the goal.
void check_families(const SearchOptions& options, const SizeSearch& one) {
  SearchRandom random(1);
  if (options.families && std::ranges::all_of(one.families, [&](const auto& family) {
        return family->propose(random).empty();
      })) {
    throw UserError(fmt::format(
        "$families '{}': no such schedules are known for {} of {} on {}; leave out the option to "
        "try all families",
        options.families->text, tutti::name(one.goal.problem.collective),
        human_bytes(one.goal.problem.bytes), counted(one.goal.problem.ranks, "rank")));
  }
}

int search(const SearchOptions& options, Streams streams) {
  const Stopwatch watch;
  SearchInput input = parsed(options, streams);
  const std::vector<std::uint64_t>& sizes = input.problems.bytes;
  check_one_standard_output({&options.json, &options.output});
  OptionalOutput json("$json", options.json, kJsonFile, streams.out);
  const std::vector<std::string> paths = paths_for(options, sizes);
  std::vector<std::unique_ptr<OutputFile>> files;
  for (const std::string& path : paths) {
    check_ending("$output", path, {"a schedule or program", {".sched", ".tutti"}});
    files.push_back(std::make_unique<OutputFile>(path, streams.out));
  }
  if (!time_given(input, options.contenders.no_verify, streams.messages)) {
    return kExitCheckFailed;
  }
  time_known(input, streams.messages);
  MachineBounds bounds = bounds_of(input.machine);
  std::vector<SizeSearch> searches(sizes.size());
  std::vector<SearchReport> reports(sizes.size());
  const bool shown = options.json != "-" && options.output != "-";
  std::string kept_in;  // not changed any more once `kept` is true
  std::atomic<bool> kept = false;
  const InterruptMessage when_interrupted(
      [&] { return kept ? "; the best so far is in " + kept_in : std::string(); },
      InterruptMessage::End::by_itself);
  double left_s = input.budget.most_s;
  std::size_t done = 0;
  for (; done < sizes.size() && interrupted() == 0; ++done) {
    SearchReport& report = reports[done];
    prepare(input, done, bounds, searches[done], report);
    if (done == 0) {
      check_families(options, searches[done]);
    }
    report.ranks_per_host = options.problem.ranks_per_host_count();
    report.budget.most_s = left_s / static_cast<double>(sizes.size() - done);
    report.writes_file = options.output.has_value();
    if (sizes.size() == 1 && !paths.empty()) {
      report.file = paths.front();
    }
    if (shown && done > 0) {
      streams.out << '\n';
    }
    run(report, searches[done], shown ? &streams.out : nullptr);
    left_s = std::max(left_s - report.wall_s, 0.0);
    report.choice = {report.result.best ? std::optional(done) : std::nullopt,
                     report.result.best ? report.result.best->seconds : report.known_s};
  }
  reports.resize(done);
  if (done > 1) {
    choose_for_sizes(reports, input.machine);
  }
  std::vector<OutputFile*> written;
  for (std::size_t size = 0; size < std::min(done, files.size()); ++size) {
    if (std::ranges::any_of(
            reports, [&](const SearchReport& report) { return report.choice.find == size; })) {
      reports[size].file = paths[size];
      write_find(reports[size], files[size]->stream());
      kept_in += (kept_in.empty() ? "" : ", ") + paths[size];
      written.push_back(files[size].get());
    }
  }
  if (json && done > 0) {
    write_document(kSearchDocument, SearchAnswer{reports, watch.seconds()}, 2,
                   json.file()->stream());
    written.push_back(json.file());
  }
  commit_together(written);
  kept = !kept_in.empty();
  if (shown && done > 1) {
    print_choices(reports, streams.out);
  }
  when_interrupted.stop_if_interrupted();
  return kExitOk;
}

}  // namespace

Action add_search(Command& app, Streams streams) {
  Command& command = app.add_command(
      "search", "Look for a schedule that is faster on a network than all known algorithms");
  auto options = std::make_shared<SearchOptions>();
  command.add_option("collective", options->collective, alternatives(searched_names()))
      .type_name("COLLECTIVE")
      .required();
  const OptionGroup problem(command, "Problem");
  options->problem.add_plain_to(command, Values::list);
  command.option("--bytes").description(kSizesHelp);
  problem.add("--root", options->problem.root, "RANK",
              "Root rank, for the collectives that have a root [0]", parse_root);
  options->problem.add_ranks_per_host(problem);
  options->contenders.add_with_to(command);
  command.option("--with").description(
      "A schedule to compare with what the search finds; give the option once for each: a program "
      "in "
      "tutti's "
      "notation, a schedule that is written out, or an MSCCL file");
  const OptionGroup group(command, "Search");
  group
      .add("--time", options->time_s, "TIME",
           "Time to search, divided among the sizes, such as 5s [60s]; timing the known "
           "algorithms, and the last checks, are not included",
           AsTime())
      .usual();
  group.add(
      "--evaluations", options->evaluations, "COUNT",
      "Number of schedules to try for each size; with the same number and seed, the result is "
      "the same",
      AsCount());
  group.add("--seed", options->seed, "SEED", "Seed of the random numbers [1]", AsCount());
  group.add("--families", options->families, "NAMES",
            fmt::format("Only these families of schedules: {}", fmt::join(family_names(), ", ")),
            parse_families);
  add_jobs(command, options->jobs);
  command.option("--jobs").group("Search").description(
      "Number of simulations at a time [all processors]");
  group
      .add("-o,--output", options->output, kWrittenFile,
           "File for the schedule; if its name ends in .sched, the schedule is written as a "
           "program for all sizes; for several sizes, one file for each schedule that is best for "
           "a size")
      .usual();
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

}}  // namespace tutti::commands
