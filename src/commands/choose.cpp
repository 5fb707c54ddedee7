// tutti choose: what a decision table, or a library's rule file, takes for one problem.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <memory>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/output_file.hpp"
#include "src/formats/text_table.hpp"
#include "src/requests/command_help.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/file_roles.hpp"
#include "src/requests/problem_request.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti {

namespace {

struct ChooseOptions {
  std::string collective;
  ProblemOptions problem;
  std::string table;
  OptionText json;
};

int choose(const ChooseOptions& options, Streams streams) {
  const Collective collective = parse_collective(options.collective);
  options.problem.need_ranks("64");
  Algorithm any{};
  any.collective = collective;
  const Algorithm* const alone = &any;
  const ProblemRequest request = parse_request(options.problem, {&alone, 1}, {});
  const Problem problem =
      plain_problem(collective, request.each, request.ranks.front(), request.sizes().front());
  const DecisionTable table = read_table(options.table, collective);
  const auto chosen = look_up(table, problem.ranks, problem.bytes, problem.element_bytes);
  if (!chosen) {
    throw UserError(fmt::format("'{}' has no rule for {} on {} ranks of {}", options.table,
                                name(collective), problem.ranks, human_bytes(problem.bytes)));
  }
  const TableRun run = table_run(table, *chosen->choice, request.each, problem);
  if (options.json) {
    OutputFile file(*options.json, streams.out);
    nlohmann::ordered_json json = choice_json(*chosen->choice);
    json["line"] = chosen->path.back()->line;
    json["runs"] = run.what ? choice_json(run.choice) : nlohmann::ordered_json();
    file.stream() << json_text(json, 2) << '\n';
    file.commit();
    if (*options.json == "-") {
      return kExitOk;
    }
  }
  constexpr std::size_t kKey = 11;
  fmt::print(streams.out, "{}\n", printable(in_words(*chosen->choice)));
  print_field(streams.out, 2, kKey, "table", table.name.empty() ? options.table : table.name);
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

}  // namespace

Action add_choose(CLI::App& app, Streams streams) {
  CLI::App* command =
      app.add_subcommand("choose", "What a decision table or rule file takes for one problem");
  auto options = std::make_shared<ChooseOptions>();
  command->add_option("collective", options->collective, collective_help())
      ->type_name("COLLECTIVE")
      ->required();
  add_plain_options(*command, options->problem);
  command
      ->add_option("--table", options->table,
                   "Decision table, or a rule file of Open MPI, MPICH or NCCL")
      ->type_name("FILE")
      ->required();
  command->add_option("--json", options->json, "Write the choice as JSON; - is standard output")
      ->type_name(kWrittenFile)
      ->group("Output");
  add_examples(*command,
               {"tutti choose allreduce -p 48 -n 100K --table examples/decisions/open_mpi_4.1.json",
                "tutti choose bcast -p 16 -n 1MiB --table examples/decisions/mpich_4.0.json",
                "tutti choose bcast -p 16 -n 64 --table rules.conf --json -"});
  return [options, streams] { return choose(*options, streams); };
}

}  // namespace tutti
