#include "src/commands/decide_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/quantities.hpp"
#include "schedules/options/tree.hpp"
#include "schedules/registry.hpp"
#include "src/built_in/built_in.hpp"
#include "src/experiments/decisions/decide.hpp"
#include "src/experiments/decisions/measured.hpp"
#include "src/requests/common_options.hpp"
#include "src/rule_files/forms/rule_form.hpp"
#include "src/rule_files/rule_size.hpp"

namespace tutti::inline commands {

namespace {

constexpr std::array kTimesBy{TimedBy::simulation, TimedBy::exact, TimedBy::longest_path,
                              TimedBy::measured};

constexpr std::size_t kMostRules = 1000;
constexpr std::uint32_t kMostPlacements = 10'000;

// "5%" or 0.05.
double parse_share(std::string_view what, const OptionText& text, double standard) {
  if (!text) {
    return standard;
  }
  const bool percent = text->ends_with('%');
  const double number =
      parse_number(what, percent ? std::string_view(*text).substr(0, text->size() - 1) : *text);
  const double share = percent ? number / 100 : number;
  if (share >= 1) {
    throw UserError(
        fmt::format("{} '{}': accepted is a share below 1, such as 0.05 or 5%", what, *text));
  }
  return share;
}

template <typename Number>
void sort_and_drop_repeated(std::vector<Number>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

struct Source {
  TimedBy by = TimedBy::simulation;
  std::string file;
};

Source parse_by(const std::vector<std::string>& given) {
  if (given.empty()) {
    return {};
  }
  const bool measured = given.front() == name(TimedBy::measured);
  if (given.size() == 2 && !measured) {
    throw UserError(fmt::format("--by '{} {}': only measured takes a file", given[0], given[1]));
  }
  if (given.size() == 1 && measured) {
    throw UserError("--by 'measured': accepted is measured FILE");
  }
  for (const TimedBy by : kTimesBy) {
    if (given.front() == name(by)) {
      return {by, measured ? given[1] : ""};
    }
  }
  throw UserError(
      fmt::format("--by '{}': accepted is simulation, exact, longest-path or measured FILE{}",
                  given.front(), did_you_mean(given.front(), times_by_names())));
}

// Ranks and sizes that cannot be read, or are missing, come first.
void read_grid(const DecideOptions& options, const ProblemRequest& request, Decision& decision) {
  decision.ranks = request.ranks;
  sort_and_drop_repeated(decision.ranks);
  if (decision.collective == Collective::barrier) {
    if (options.problem.bytes) {
      throw UserError(fmt::format("-n/--bytes '{}': a barrier moves no data; leave it out",
                                  *options.problem.bytes));
    }
    decision.sizes_bytes = {0};
    return;
  }
  if (request.bytes.empty()) {
    throw UserError("how many bytes? Give -n/--bytes, such as -n 8..16MiB*2");
  }
  decision.sizes_bytes = request.bytes;
  sort_and_drop_repeated(decision.sizes_bytes);
}

// --placements: 1 where it is not asked for.
std::uint32_t parse_placements(const DecideOptions& options, TimedBy by) {
  if (!options.placements) {
    return 1;
  }
  const std::string from = fmt::format("--placements '{}'", *options.placements);
  const std::uint32_t count = parse_count("--placements", *options.placements, kMostPlacements);
  if (count == 0) {
    throw UserError(fmt::format("{}: accepted is a number from 1 to {}", from, kMostPlacements));
  }
  for (const auto& [given, name] : {std::pair{&options.machine.placement, "--placement"},
                                    std::pair{&options.machine.hosts, "--hosts"}}) {
    if (*given) {
      throw UserError(
          fmt::format("{}: {} says where ranks are; leave one of them out", from, name));
    }
  }
  if (by == TimedBy::exact || by == TimedBy::measured) {
    throw UserError(
        fmt::format("{}: times by {} are of no placement; take --by simulation", from, name(by)));
  }
  return count;
}

// Every size is whole elements; what has no machine is refused before any work.
void read_machines(const DecideOptions& options, const ProblemTemplate& asked, const Source& source,
                   OpenedMachine machine, Decision& decision) {
  const std::uint32_t placements = parse_placements(options, source.by);
  if (options.placements) {
    const std::uint64_t seed = machine.spec.disturbance.seed;
    decision.first_seed = static_cast<std::uint32_t>(seed);
    if (seed + placements - 1 > std::numeric_limits<std::uint32_t>::max()) {
      throw UserError(fmt::format("--seed '{}': {} more are drawn from, and the last is {}", seed,
                                  placements - 1, std::numeric_limits<std::uint32_t>::max()));
    }
  }
  for (std::uint32_t k = 0; k < placements; ++k) {
    if (options.placements) {
      machine.spec.placement_seed = decision.first_seed + k;
    }
    for (const std::uint32_t ranks : decision.ranks) {
      Problem problem;
      for (const std::uint64_t bytes : decision.sizes_bytes) {
        problem = plain_problem(decision.collective, asked, ranks, decision.bytes_of(bytes, ranks));
      }
      decision.element_bytes = problem.element_bytes;
      if (source.by != TimedBy::measured) {
        decision.machines.push_back(machine.machine(ranks, asked.ranks_per_host, problem.element_bytes));
      }
    }
  }
  if (source.by == TimedBy::exact && decision.machines.back().setup.disturbance.any()) {
    throw UserError(
        "--by 'exact': no closed form knows of late ranks or of jitter; leave out --late-ranks and "
        "--jitter, or take --by simulation");
  }
  if (source.by == TimedBy::measured && options.machine.what_if.any()) {
    throw UserError(
        "--by 'measured': times that were measured are of the machine as it is; leave out "
        "what-ifs, "
        "late ranks and jitter");
  }
  if (source.by != TimedBy::measured) {
    decision.facts = describe(decision.machines[decision.ranks.size() - 1]);
  }
}

// --rules-at-most.
std::optional<std::size_t> parse_at_most(const OptionText& text) {
  if (!text) {
    return std::nullopt;
  }
  const std::uint64_t most = parse_count("--rules-at-most", *text);
  if (most == 0 || most > kMostRules) {
    throw UserError(fmt::format("--rules-at-most '{}': accepted are 1 to {} for a number of ranks",
                                *text, kMostRules));
  }
  return most;
}

std::vector<const Algorithm*> algorithms_of(Collective collective) {
  std::vector<const Algorithm*> found(algorithms().begin(), algorithms().end());
  std::erase_if(found,
                [collective](const Algorithm* each) { return each->collective != collective; });
  return found;
}

}  // namespace

std::vector<std::string> times_by_names() {
  std::vector<std::string> names;
  names.reserve(kTimesBy.size());
  for (const TimedBy by : kTimesBy) {
    names.emplace_back(name(by));
  }
  return names;
}

OpenedMachine open_machine(const DecideOptions& options) {
  MachineOptions machine = options.machine;
  if (parse_by(options.by).by == TimedBy::longest_path) {
    machine.engine = "critical-path";
  }
  machine.what_if.seed_of_ties = options.placements.has_value();  // they are drawn by it
  return machine.open();
}

PreparedDecision prepare_decision(const DecideOptions& options, const OpenedMachine& machine,
                                  Collective collective, std::optional<RuleFormat> library,
                                  int release) {
  PreparedDecision prepared;
  Decision& decision = prepared.decision;
  const Source source = parse_by(options.by);
  decision.collective = collective;
  decision.sizes_are_blocks = options.sizes_are_blocks;
  decision.by = source.by;
  decision.measured_file = source.file;
  decision.limits.tolerance = parse_share("--tolerance", options.tolerance, 0.01);
  decision.limits.at_most = parse_at_most(options.rules_at_most);
  if (library && rule_size(*library, collective) == RuleSize::none) {
    decision.limits.at_most = 1;
  }
  decision.crossover =
      source.by == TimedBy::measured ? 0 : parse_share("--crossover", options.crossover, 0.05);
  options.problem.need_ranks("2..1024*2");
  prepared.programs = options.contenders.programs(collective, options.problem);
  const std::vector<const Algorithm*> only = options.contenders.only(collective);
  const std::vector<const Algorithm*> own = algorithms_of(prepared.programs);
  std::vector<const Algorithm*> looked_at = only.empty() ? algorithms_of(collective) : only;
  looked_at.insert(looked_at.end(), own.begin(), own.end());
  ProblemRequest request = parse_request(
      options.problem, looked_at,
      {.lists = true, .best_segment = true, .all_values = options_worth_trying(library)});
  take_groups_from(machine, request.each);
  read_grid(options, request, decision);
  Candidates candidates = candidates_of(collective, request.each, {library, release, only, own});
  decision.candidates = std::move(candidates.all);
  decision.left_out = std::move(candidates.left_out);
  if (machine.has_reducing_switches()) {
    for (const Algorithm* algorithm : looked_at) {
      if (algorithm->in_network()) {
        decision.of_switches.emplace_back(algorithm->name);
      }
    }
  }
  std::vector<const Algorithm*> algorithms;
  algorithms.reserve(decision.candidates.size());
  for (const Candidate& candidate : decision.candidates) {
    algorithms.push_back(candidate.contender.algorithm);
  }
  options.problem.refuse_what_none_takes(algorithms);
  read_machines(options, request.each, source, machine, decision);
  prepared.asked = std::move(request.each);
  make_grid(decision);
  return prepared;
}

bool prove_own(const PreparedDecision& prepared, std::ostream& err) {
  std::vector<ProofCell> cells;
  for (const Candidate& candidate : prepared.decision.candidates) {
    for (const RankDecision& each : prepared.decision.decisions) {
      for (const TimedCell& cell : each.cells) {
        const CaseRun run =
            candidate.own ? first_look(candidate.contender, each.ranks, cell.bytes) : CaseRun{};
        if (candidate.own && run.outcome.open()) {
          cells.push_back({run.algorithm, run.problem});
        }
      }
    }
  }
  return cells.empty() || prove_programs(cells, err, [](std::size_t, const std::string&) {});
}

std::unique_ptr<Runner> runner_of(const DecideOptions& options, const Decision& decision,
                                  std::size_t jobs, std::ostream& err) {
  if (decision.by == TimedBy::simulation || decision.by == TimedBy::longest_path) {
    return runner_for(options.sweep, Waves::several, decision.machines.front(), jobs, err);
  }
  if (options.sweep.database) {
    throw UserError(
        fmt::format("--db '{}': with --by {} nothing is run whose result could be kept; leave it "
                    "out",
                    *options.sweep.database, name(decision.by)));
  }
  if (options.sweep.retry_failed) {
    throw UserError(kRetryWithoutDatabase);
  }
  return nullptr;
}

void carry_out(PreparedDecision& prepared, Runner* runner, std::size_t jobs, bool everything) {
  Decision& decision = prepared.decision;
  if (decision.by != TimedBy::measured) {
    decide_by_times(decision, runner, jobs, everything);
    return;
  }
  fill_in_measured(decision.measured_file, decision);
  search_decisions(decision.decisions, {decision.limits, 0, decision.element_bytes}, {});
}

}  // namespace tutti::inline commands
