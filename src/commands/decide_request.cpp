#include "src/commands/decide_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/messages.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "platforms/cluster_platform.hpp"
#include "schedules/options/tree.hpp"
#include "schedules/registry.hpp"
#include "src/built_in/built_in.hpp"
#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/decisions/nccl_answer.hpp"
#include "src/experiments/decisions/nccl_losses.hpp"
#include "src/experiments/runner/proof_cells.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/decision_text.hpp"
#include "src/requests/common_options.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/rule_form.hpp"
#include "src/rule_files/rule_size.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti { inline namespace commands {

namespace {

std::optional<std::uint32_t> placements_of(const DecideOptions& options) {
  if (!options.placements) {
    return std::nullopt;
  }
  const std::string from = fmt::format("$placements '{}'", *options.placements);
  if (options.machine.placement || options.machine.hosts) {
    throw UserError(fmt::format("{}: {} already places the ranks; leave out one of the two", from,
                                options.machine.placement ? "$placement" : "$hosts"));
  }
  const TimedBy by = options.times.by;
  if (by == TimedBy::exact || by == TimedBy::measured) {
    throw UserError(fmt::format("{}: $by={} cannot vary the placement of ranks; use $by=simulation",
                                from, name(by)));
  }
  return options.placements;
}

std::vector<const Algorithm*> algorithms_of(Collective collective) {
  std::vector<const Algorithm*> found(algorithms().begin(), algorithms().end());
  std::erase_if(found,
                [collective](const Algorithm* each) { return each->collective != collective; });
  return found;
}

// Returns NCCL's machine: the platform's if its hosts are GPUs. Otherwise, if no option gives the
// number of GPUs on a node, it is the value of --ranks-per-host.
NcclOptions nccl_machine(const DecideOptions& options) {
  return options.nccl.on_platform(options.machine.platform_file())
      .with_ranks_per_host(options.problem.ranks_per_host);
}

// True for written-out schedules that have no schedule between the sizes of the grid.
bool serves_only_its_sizes(const Program& program) {
  return std::ranges::any_of(files_of(program),
                             [](const WrittenFile& file) { return !file.serves_any_size; });
}

// Limits rules to the sizes that were decided. Other sizes keep the library's own choice.
void keep_own_outside(const Decision& decision, std::vector<RankStep>& steps) {
  const auto [least, most] = std::ranges::minmax(decision.sizes_bytes);
  for (RankStep& step : steps) {
    std::vector<SizeStep>& sizes = step.sizes;
    const SizeStep own{0, choice_left_to_library(), "the library's own choice: sizes not decided"};
    if (least > 0 && !sizes.front().choice.left_to_library) {
      sizes.front().from_bytes = least;
      sizes.insert(sizes.begin(), own);
    }
    if (!sizes.back().choice.left_to_library) {
      sizes.push_back(own);
      sizes.back().from_bytes = most + 1;
    }
  }
}

// True if NCCL's rules are exported, or NCCL's choices are compared.
bool asks_for_nccl(const DecideOptions& options) {
  return options.against == kAgainstNccl ||
         (options.export_format && options.export_format->value.rules == RuleFormat::nccl);
}

// Throws UserError for options that have no effect on the simulation of NCCL's algorithms.
// `on_platform`: they run on a platform whose hosts are not GPUs.
void refuse_beside_nccl(const DecideOptions& options, bool on_platform) {
  const MachineOptions& machine = options.machine;
  const auto refuse = [](bool given, std::string_view field, std::string_view why) {
    if (given) {
      throw UserError(
          fmt::format("{} has no effect with $export=nccl, {}; leave it out", field, why));
    }
  };
  constexpr std::string_view kSimulation = "which simulates NCCL's own algorithms";
  refuse(options.placements.has_value(), "$placements", kSimulation);
  refuse(options.sure.has_value(), "$sure", kSimulation);
  refuse(options.sweep.database.has_value(), "$db", kSimulation);
  refuse(options.against && *options.against != kAgainstNccl, "$against",
         "unless it is $against=nccl");
  const std::vector<GivenOption> given = options.problem.given_options();
  refuse(!given.empty(), given.empty() ? "" : given.front().field,
         "because NCCL itself determines this");
  if (!on_platform) {
    constexpr std::string_view kNodes = "unless $platform names a file without GPUs";
    refuse(machine.engine.has_value(), "$engine", kNodes);
    refuse(machine.placement.has_value(), "$placement", kNodes);
    refuse(machine.hosts.has_value(), "$hosts", kNodes);
    refuse(machine.parameters.has_value(), "$parameters", kNodes);
    refuse(machine.what_if.any(), "a what-if", kNodes);
  }
}

}  // namespace

void use_machine_of_gpu(const DecideOptions& options, DecisionRequest& request) {
  // The GPU beside $against is that of the rules of NCCL's tuner; see baseline_of_against().
  const bool rules_on_gpus = options.against && !options.nccl.given().empty();
  if ((!asks_for_nccl(options) && !rules_on_gpus) || options.machine.platform ||
      options.times.by == TimedBy::measured) {
    return;
  }
  const NcclOptions gpus = nccl_machine(options);
  OpenedMachine& machine = request.machine;
  const auto refuse = [](bool given, std::string_view field) {
    if (given) {
      throw UserError(fmt::format(
          "{}: needs a file; write one with 'tutti platform gpu', and give it with $platform",
          field));
    }
  };
  refuse(options.sweep.database.has_value(), "$db");
  refuse(machine.spec.both_engines() || machine.spec.engine == "simgrid",
         fmt::format("$engine '{}'", machine.spec.engine));
  machine.files.cluster = nccl_platform(gpus, std::ranges::max(request.problems.ranks));
  machine.spec.source.file = machine.files.cluster->path();
  if (!machine.spec.ports) {
    machine.spec.ports = kUnlimitedPorts;  // NCCL's channels send at the same time
  }
  request.problems.each.ranks_per_host = 1;
}

std::optional<NcclRuleSetup> nccl_rule_setup(const DecideOptions& options,
                                             const DecisionExport& exported,
                                             const OpenedMachine& machine, Messages& messages) {
  const bool simulated = options.times.by == TimedBy::simulation;
  if (exported.library() != RuleFormat::nccl || options.times.by == TimedBy::measured) {
    if (options.model_loss) {
      throw UserError(
          fmt::format("$model_loss '{}': has no effect without $export=nccl and "
                      "simulated times; leave it out",
                      options.model_loss->text));
    }
    return std::nullopt;
  }
  if (!simulated) {
    throw UserError(fmt::format(
        "$by '{}': times of NCCL's algorithms are simulated or measured; use $by=simulation or "
        "$by=measured FILE",
        name(options.times.by)));
  }
  NcclRuleSetup setup;
  setup.machine = nccl_machine(options);
  const bool on_platform = options.machine.platform && !setup.machine.hosts_are_gpus();
  refuse_beside_nccl(options, on_platform);
  if (!on_platform && (options.machine.alpha_s || options.machine.beta_s_per_byte ||
                       options.machine.gamma_s_per_byte)) {
    messages.warning(
        "$alpha, $beta and $gamma do not change the simulated times of NCCL's algorithms, which "
        "are those of the GPUs and cards");
  }
  if (options.machine.platform) {
    setup.platform = machine;
  }
  setup.model_loss = options.model_loss ? options.model_loss->value : 0;
  return setup;
}

OpenedMachine open_machine(const DecideOptions& options, Messages& messages) {
  MachineOptions machine = options.machine;
  if (options.times.by == TimedBy::longest_path) {
    machine.engine = "critical-path";
  }
  // The option --seed also determines the random placements, so with --placements it is allowed
  // without --jitter or --late-ranks.
  machine.what_if.seed_of_ties = options.placements.has_value();
  return machine.open(messages);
}

DecisionTask decision_task(const DecideOptions& options, const OpenedMachine& machine,
                           Collective collective, std::optional<RuleFormat> library, int release,
                           Streams streams) {
  DecisionTask task;
  DecisionRequest& request = task.request;
  request.collective = collective;
  request.by = options.times.by;
  request.measured_file = options.times.file;
  request.limits.tolerance = options.tolerance;
  request.limits.at_most = options.rules_at_most;
  if (library && rule_size(*library, collective) == RuleSize::none) {
    request.limits.at_most = 1;
  }
  constexpr double kCrossover = 0.05;
  request.crossover = request.by == TimedBy::measured ? 0
                      : options.crossover             ? options.crossover->value
                                                      : kCrossover;
  task.programs = options.contenders.programs(collective, options.problem, streams.sources);
  ProblemOptions problem = options.problem;
  if (!options.profile && !options.library) {
    take_problems(task.programs, problem, streams.messages);
    problem.need_ranks("2..1024*2");
  }
  if (!options.crossover && std::ranges::any_of(task.programs, [](const auto& each) {
        return serves_only_its_sizes(each->program);
      })) {
    request.crossover = 0;
  }
  request.who = {library, release, options.contenders.only(collective),
                 algorithms_of(task.programs)};
  std::vector<const Algorithm*> looked_at =
      request.who.only.empty() ? algorithms_of(collective) : request.who.only;
  looked_at.insert(looked_at.end(), request.who.programs.begin(), request.who.programs.end());
  problem.refuse_what_none_takes(looked_at);
  request.problems = parse_request(
      problem, looked_at, {.best_segment = true, .all_values = options_worth_trying(library)});
  request.machine = machine;
  request.placements = placements_of(options);
  return task;
}

bool prove_own(const PreparedDecision& prepared, Messages& messages) {
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
  return cells.empty() || prove_programs(
                              cells, messages, [](std::size_t, const std::string&) {}, true);
}

std::unique_ptr<Runner> runner_of(const DecideOptions& options, const Decision& decision,
                                  std::size_t jobs, Messages& messages) {
  if (decision.by == TimedBy::simulation || decision.by == TimedBy::longest_path) {
    return runner_for(options.sweep, Waves::several, decision.machines.front(), jobs, messages);
  }
  if (options.sweep.database) {
    throw UserError(fmt::format(
        "$db '{}': $by={} simulates nothing, so there are no results to keep; leave $db out",
        *options.sweep.database, name(decision.by)));
  }
  check_database_given(options.sweep);
  return nullptr;
}

void add_own_choice(const DecideOptions& options, const DecisionExport& exported,
                    const std::optional<NcclRuleSetup>& nccl, PreparedDecision& prepared) {
  if (nccl) {
    use_nccl_candidates(prepared, *nccl, options.contenders.only(prepared.decision.collective));
  } else if (exported.library() == RuleFormat::nccl) {
    Decision& decision = prepared.decision;
    add_baseline(decision, "NCCL's own choice",
                 nccl_rival(nccl_machine(options), decision.collective, decision.ranks.back(),
                            prepared.problem_template)
                     .choose);
  }
}

void check_rules_remain(const DecideOptions& options, const DecisionExport& exported,
                        const Decision& decision) {
  if (exported.library() && !has_rules(decision)) {
    throw UserError(
        fmt::format("$export '{}': {}", options.export_format->text, why_no_rules(decision)));
  }
}

void write_export(const DecideOptions& options, std::span<const Decision* const> decisions,
                  const DecisionExport& how, std::ostream& out) {
  if (how.csv) {
    write_decision_csv(*decisions.front(), out);
    return;
  }
  std::vector<RulesToWrite> rules;
  rules.reserve(decisions.size());
  for (const Decision* const decision : decisions) {
    rules.push_back(rules_to_write(*decision, lead_in_words));
    if (how.format == RuleFormat::nccl) {
      rules.back().nccl =
          nccl_rules(nccl_machine(options), decision->collective, decision->model_loss);
      rules.back().nccl->remarks = cells_of_rules(*decision);
      if (rules.size() == 1) {
        rules.front().nccl->remarks.push_back(
            machine_of_rules(nccl_machine(options).job(decision->ranks.back())));
      }
      keep_own_outside(*decision, rules.back().steps);
    }
  }
  rules.front().made_by = made_by(decisions);
  write_rules(rules, how.format, out);
}

void print_loading(const DecisionExport& exported, std::span<const Collective> collectives,
                   std::ostream& out) {
  if (!exported.path || exported.csv) {
    return;
  }
  out << '\n';
  print_field(out, 0, 0, "",
              fmt::format("rules written to {}; {}", *exported.path,
                          rule_form(exported.format).other_ranks));
  // The lines are printed without wrapping, so that users can copy them.
  const auto here = load_settings(exported.format, *exported.path);
  if (!here.empty()) {
    out << "loaded with: " << printable(load_command(here)) << '\n';
    const auto anywhere =
        load_settings(exported.format, std::filesystem::absolute(*exported.path).string());
    out << "with srun:   " << printable(load_export(anywhere)) << '\n';
    const std::vector<std::string> parameters = load_parameters(anywhere);
    out << (parameters.empty() ? "" : "for all jobs, in Open MPI's etc/openmpi-mca-params.conf:\n");
    for (const std::string& parameter : parameters) {
      out << "  " << printable(parameter) << '\n';
    }
  }
  if (const std::string text = decided_before(exported.format, 0, collectives); !text.empty()) {
    print_field(out, 0, 0, "", text);
  }
}

std::optional<Rival> baseline_of_against(const DecideOptions& options,
                                         const PreparedDecision& prepared) {
  const Decision& decision = prepared.decision;
  if (options.against == kAgainstNccl) {
    return nccl_rival(nccl_machine(options), decision.collective, decision.ranks.back(),
                      prepared.problem_template);
  }
  std::optional<Rival> rival;
  if (options.against) {
    rival = rival_named(*options.against, decision.collective, prepared.problem_template);
  }
  const std::string flag = options.nccl.given();
  const bool runs_rules = rival && rival->nccl_rules != nullptr;
  if (!flag.empty() && !asks_for_nccl(options) && !runs_rules) {
    throw UserError(
        fmt::format("{} has no effect without $against={} or $export=nccl; add one of them", flag,
                    kAgainstNccl));
  }
  // Parses the options of NCCL's machine now, so that invalid options are reported before anything
  // runs.
  if (!flag.empty()) {
    (void)nccl_machine(options).job(decision.ranks.front());
  }
  if (!rival) {
    return std::nullopt;
  }
  if (runs_rules) {
    simulate_rules_as_nccl(nccl_machine(options), prepared.problem_template, *rival);
  }
  const bool dealt_out = std::ranges::any_of(decision.machines, [](const Machine& each) {
    return each.mapping.placement == Placement::cyclic;
  });
  if (rival->in_blocks && (options.machine.hosts || dealt_out)) {
    throw UserError(
        fmt::format("$against '{}': this library's decisions are known only for ranks placed in "
                    "blocks; leave out {}",
                    rival->name, options.machine.hosts ? "$hosts" : "$placement"));
  }
  return rival;
}

}}  // namespace tutti::commands
