// tutti choose: what a decision table, a library's rule file, or a library by itself takes for one
// problem.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "src/built_in/built_in.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/experiments/nccl_answer.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/text_table.hpp"
#include "src/report/library_choice.hpp"
#include "src/requests/command_help.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti {

namespace {

struct ChooseOptions {
  std::string collective;
  ProblemOptions problem;
  OptionText table;
  OptionText library;
  NcclOptions nccl;
  OptionText json;
};

constexpr std::string_view kNcclFamily = "NCCL";

// By its own model, on a machine that options describe.
LibraryDecision decision_of_nccl(const ChooseOptions& options, LibraryCall& call) {
  const NcclJob job =
      options.nccl.with_ranks_per_host(options.problem.ranks_per_host).job(call.ranks);
  call.ranks_per_node = job.gpus_per_node;
  return nccl_decision(
      nccl_answer(job, call.collective, call.bytes, NcclSimulated::none, std::nullopt));
}

// Whether standard output is taken.
bool wrote_json(const ChooseOptions& options, const nlohmann::ordered_json& json, Streams streams) {
  OutputFile file(*options.json, streams.out);
  file.stream() << json_text(json, 2) << '\n';
  file.commit();
  return *options.json == "-";
}

int choose_by_library(const ChooseOptions& options, const Problem& problem, Streams streams) {
  const LibraryVersion& version = library_version_named("--library", *options.library);
  LibraryCall call;
  call.collective = problem.collective;
  call.ranks = problem.ranks;
  call.ranks_per_node = std::min(options.problem.ranks_per_host_count(), problem.ranks);
  call.bytes = problem.bytes;
  call.element_bytes = problem.element_bytes;
  const bool nccl = version.family == kNcclFamily;
  if (const std::string flag = options.nccl.given(); !nccl && !flag.empty()) {
    throw UserError(
        fmt::format("{} beside --library '{}': it is of machines that NCCL runs on; "
                    "leave it out",
                    flag, *options.library));
  }
  const auto decision =
      nccl ? std::optional(decision_of_nccl(options, call)) : built_in_decision(version, call);
  if (!decision) {
    throw UserError(
        fmt::format("--library '{}': what it decides by itself is not known here; that "
                    "of {} and NCCL is",
                    *options.library, fmt::join(versions_with_decisions(), ", ")));
  }
  if (options.json &&
      wrote_json(options, library_choice_json(version.name, call, *decision), streams)) {
    return kExitOk;
  }
  print_library_choice(version.name, call, *decision, streams.out);
  return kExitOk;
}

int choose_by_table(const ChooseOptions& options, const ProblemRequest& request,
                    const Problem& problem, Streams streams) {
  if (const std::string flag = options.nccl.given(); !flag.empty()) {
    throw UserError(
        fmt::format("{}: tables know of no machine; give --library \"NCCL 2.30\"", flag));
  }
  if (options.problem.ranks_per_host) {
    throw UserError(fmt::format("--ranks-per-host '{}': tables know of ranks only; give --library",
                                *options.problem.ranks_per_host));
  }
  const std::string& path = *options.table;
  const DecisionTable table = read_table(path, problem.collective);
  const auto chosen = look_up(table, problem.ranks, problem.bytes, problem.element_bytes);
  if (!chosen) {
    throw UserError(fmt::format("'{}' has no rule for {} on {} ranks of {}", path,
                                name(problem.collective), problem.ranks,
                                human_bytes(problem.bytes)));
  }
  const TableRun run = table_run(table, *chosen->choice, request.each, problem);
  if (options.json) {
    nlohmann::ordered_json json = choice_json(*chosen->choice);
    json["line"] = chosen->path.back()->line;
    json["runs"] = run.what ? choice_json(run.choice) : nlohmann::ordered_json();
    if (wrote_json(options, json, streams)) {
      return kExitOk;
    }
  }
  constexpr std::size_t kKey = 11;
  fmt::print(streams.out, "{}\n", printable(in_words(*chosen->choice)));
  print_field(streams.out, 2, kKey, "table", table.name.empty() ? path : table.name);
  for (const Rule* rule : chosen->path) {
    print_field(streams.out, 2, kKey, rule == chosen->path.front() ? "because" : "",
                fmt::format("line {}: {}", rule->line, conditions_in_words(*rule, table.measure)));
  }
  if (!chosen->choice->library_algorithm.empty() && !chosen->choice->algorithm.empty()) {
    print_field(streams.out, 2, kKey, "library", chosen->choice->library_algorithm);
  }
  if (!run.refusal.empty()) {
    print_field(streams.out, 2, kKey, "refused", run.refusal);
    print_field(streams.out, 2, kKey, "instead",
                run.what ? in_words(run.choice) : "the table does not say what runs then");
  }
  return kExitOk;
}

int choose(const ChooseOptions& options, Streams streams) {
  if (options.table && options.library) {
    throw UserError(fmt::format("--library '{}' beside --table '{}': one of them decides",
                                *options.library, *options.table));
  }
  if (!options.table && !options.library) {
    throw UserError("who chooses? Give --table FILE or --library NAME");
  }
  const Collective collective = parse_collective(options.collective);
  options.problem.need_ranks("64");
  Algorithm any{};
  any.collective = collective;
  const Algorithm* const alone = &any;
  const ProblemRequest request = parse_request(options.problem, {&alone, 1}, {});
  const Problem problem =
      plain_problem(collective, request.each, request.ranks.front(), request.sizes().front());
  return options.library ? choose_by_library(options, problem, streams)
                         : choose_by_table(options, request, problem, streams);
}

}  // namespace

Action add_choose(CLI::App& app, Streams streams) {
  CLI::App* command = app.add_subcommand(
      "choose", "What a decision table, a rule file or a library takes for one problem");
  auto options = std::make_shared<ChooseOptions>();
  command->add_option("collective", options->collective, collective_help())
      ->type_name("COLLECTIVE")
      ->required();
  add_plain_options(*command, options->problem);
  command
      ->add_option("--ranks-per-host", options->problem.ranks_per_host,
                   "Ranks on each host, for --library [1]")
      ->type_name("COUNT")
      ->group("What to run");
  command
      ->add_option("--table", options->table,
                   "Decision table, or a rule file of Open MPI, MPICH or NCCL")
      ->type_name("FILE")
      ->group("Who chooses");
  command
      ->add_option("--library", options->library,
                   "What the library decides by itself, with no rules: " +
                       fmt::format("{}, NCCL 2.30", fmt::join(versions_with_decisions(), ", ")))
      ->type_name("NAME")
      ->group("Who chooses");
  options->nccl.add_to(*command);
  command->add_option("--json", options->json, "Write the choice as JSON; - is standard output")
      ->type_name(kWrittenFile)
      ->group("Output");
  add_examples(*command,
               {"tutti choose allreduce -p 48 -n 100K --table examples/decisions/open_mpi_4.1.json",
                "tutti choose bcast -p 64 -n 64K --library \"Open MPI 5.0.6\" --ranks-per-host 8",
                "tutti choose bcast -p 16 -n 64 --table rules.conf --json -"});
  return [options, streams] { return choose(*options, streams); };
}

}  // namespace tutti
