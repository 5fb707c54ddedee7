// tutti choose: shows which algorithm a decision table, a library's rule file, or the library
// itself chooses for a problem.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "src/built_in/built_in.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/option_group.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/experiments/nccl_answer.hpp"
#include "src/experiments/sites/site_files.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/json_lines.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/library_choice.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/library_catalogue.hpp"
#include "src/rule_files/library_release.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti::inline commands {

namespace {

struct ChooseOptions {
  std::string collective;
  ProblemOptions problem;
  std::vector<std::string> tables;
  OptionText library;
  NcclOptions nccl;
  OptionText json;
};

constexpr std::string_view kNcclFamily = "NCCL";
constexpr std::string_view kMpichFamily = "MPICH";

// Returns what NCCL chooses for `call`, according to NCCL's own cost model, on the machine that the
// options describe. Sets call.ranks_per_node to the number of GPUs on a node of this machine.
LibraryDecision decision_of_nccl(const ChooseOptions& options, LibraryCall& call) {
  const NcclJob job =
      options.nccl.with_ranks_per_host(options.problem.ranks_per_host).job(call.ranks);
  call.ranks_per_node = job.gpus_per_node;
  return nccl_decision(nccl_answer(job, call.collective, call.bytes, NcclSimulated::none, nullptr));
}

// Returns the numbers of ranks per host for which `folder` has a folder of rules, such as
// 8_per_host, in increasing order.
std::vector<std::uint32_t> ranks_per_host_in(const std::string& folder) {
  std::vector<std::uint32_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::istringstream name(entry->path().filename().string());
    std::uint32_t count = 0;
    std::string rest;
    if (name >> count >> rest && rest == "_per_host") {
      found.push_back(count);
    }
  }
  std::ranges::sort(found);
  return found;
}

// Returns the paths of the rule files in `folder` that `release` reads, for jobs with
// `ranks_per_host` ranks per host. `folder` should be one that 'tutti decide --library' wrote.
// Throws UserError if it contains no such rule file.
std::vector<std::string> rule_files_in(const std::string& folder, const LibraryRelease& release,
                                       std::uint32_t ranks_per_host) {
  namespace fs = std::filesystem;
  std::vector<std::string_view> names;
  std::ranges::copy_if(kSiteFileNames, std::back_inserter(names), [&](std::string_view name) {
    return site_file_family(name) == release.line->family;
  });
  std::vector<std::string> found;
  for (const fs::path& place :
       {fs::path(folder), fs::path(folder) / fmt::format("{}_per_host", ranks_per_host)}) {
    for (const std::string_view name : names) {
      if (std::error_code error; fs::is_regular_file(place / name, error)) {
        found.push_back((place / name).string());
      }
    }
  }
  if (found.empty()) {
    const std::vector<std::uint32_t> others = ranks_per_host_in(folder);
    throw UserError(fmt::format("--table '{}': the folder has no {} for {} per host; {}", folder,
                                fmt::join(names, " or "), counted(ranks_per_host, "rank"),
                                others.empty() ? "name a folder that 'tutti decide --library' wrote"
                                               : fmt::format("it has rules for --ranks-per-host {}",
                                                             fmt::join(others, " or "))));
  }
  return found;
}

// Returns which of the library's decisions the rules of a format replace.
std::string_view level_of(RuleFormat format) {
  switch (format) {
    case RuleFormat::han:
      return "the component (coll/han)";
    case RuleFormat::mpich_ch4:
      return "the composition";
    case RuleFormat::mpich_posix:
      return "the algorithm in shared memory";
    default:
      return "the algorithm";
  }
}

// Reads a rule file as `release` does. Throws UserError if the file has errors, or belongs to
// another library.
RuleFile read_site_file(const std::string& path, const std::string& text,
                        const LibraryRelease& release) {
  RuleFile file = read_rules_as(release, text);
  const auto finding = std::ranges::find_if(file.findings, &RuleFinding::serious);
  if (finding == file.findings.end()) {
    return file;
  }
  const RuleFormat looks = sniff_format(text);
  if (rule_form(looks).family != release.line->family && read_rules(text, looks).sound()) {
    throw UserError(
        fmt::format("--table '{}': {} reads no {}", path, release.name, description(looks)));
  }
  throw UserError(
      fmt::format("{}:{}: {} ('tutti lint' lists all errors)", path, finding->line, finding->text));
}

// Reads the rules of --table, which replace the library's own decisions. Open MPI reads rules in
// two components (coll/tuned and coll/han), MPICH on three levels.
InstalledRules read_site_rules(const ChooseOptions& options, const LibraryRelease& release,
                               Streams streams) {
  if (release.line->family == kNcclFamily) {
    throw UserError(fmt::format(
        "--table '{}' with --library '{}': tutti combines rule files only with the decisions of "
        "Open MPI and MPICH; for the file alone, leave out --library and --ranks-per-host",
        options.tables.front(), *options.library));
  }
  std::vector<std::string> paths;
  for (const std::string& path : options.tables) {
    if (std::error_code error; std::filesystem::is_directory(path, error)) {
      std::ranges::move(rule_files_in(path, release, options.problem.ranks_per_host_count()),
                        std::back_inserter(paths));
    } else {
      paths.push_back(path);
    }
  }
  InstalledRules rules;
  std::map<std::string_view, std::string> seen;  // the file for each level
  for (const std::string& path : paths) {
    const std::string text = read_text_file(path);
    RuleFile file = read_site_file(path, text, release);
    const auto [before, is_new] = seen.emplace(level_of(file.format), path);
    if (!is_new) {
      throw UserError(fmt::format(
          "--table '{}': '{}' already has rules that choose {}; {} loads only one such file", path,
          before->second, before->first, release.name));
    }
    if (release.line->family != kMpichFamily) {
      for (const RuleNote& note : file.notes) {
        fmt::print(streams.err, "tutti: {}{}: {}\n", path,
                   note.line > 0 ? fmt::format(":{}", note.line) : "", note.text);
      }
    }
    rules.add(path, text, std::move(file), release);
  }
  return rules;
}

void refuse_nccl_options(const ChooseOptions& options, std::string_view why) {
  if (const std::string flag = options.nccl.given(); !flag.empty()) {
    throw UserError(fmt::format("{}{}", flag, why));
  }
}

using Json = nlohmann::ordered_json;

// Returns null, the value of --table, or a list if there are several.
Json tables_json(const std::vector<std::string>& tables) {
  return tables.empty() ? Json()
         : tables.size() == 1
             ? Json(printable(tables.front()))
             : json_array(tables, [](const std::string& path) { return Json(printable(path)); });
}

// Writes the JSON document with `choices`, one per problem, if the user asked for it. `library`:
// name of the library's release; "" for a table. Returns true if the document went to standard
// output.
bool wrote_choices(const ChooseOptions& options, std::string_view library,
                   const std::vector<Problem>& problems, Json choices, Streams streams) {
  const Problem& first = problems.front();
  return wrote_json(options.json,
                    {{"schema", "tutti-choice/2"},
                     {"collective", name(first.collective)},
                     {"element_bytes", first.element_bytes},
                     {"library", or_null(library)},
                     {"table", tables_json(options.tables)},
                     {"choices", std::move(choices)}},
                    streams);
}

// Shows what the library of --library chooses for each problem, as text or as JSON. Returns the
// exit code.
int choose_by_library(const ChooseOptions& options, const std::vector<Problem>& problems,
                      Streams streams) {
  const LibraryVersion* const found = find_library_version(*options.library);
  const std::string nccl_name = fmt::format("{} {}", kNcclFamily, kNcclRelease);
  if (lower_case(*options.library).starts_with(lower_case(kNcclFamily))) {
    check_nccl_release(fmt::format("--library '{}'", *options.library),
                       trimmed(std::string_view(*options.library).substr(kNcclFamily.size())),
                       nccl_name);
  }
  if (found == nullptr) {
    std::vector<std::string_view> accepted = versions_with_decisions();
    accepted.push_back(nccl_name);
    throw UserError(fmt::format("--library '{}': unknown library; expected {}{}", *options.library,
                                alternatives(accepted),
                                did_you_mean_library(*options.library, accepted)));
  }
  const LibraryVersion& version = *found;
  const bool nccl = version.family == kNcclFamily;
  if (!nccl) {
    refuse_nccl_options(
        options,
        fmt::format(" with --library '{}': only NCCL uses this option; leave the option out",
                    *options.library));
  }
  InstalledRules rules;
  if (!options.tables.empty()) {
    rules = read_site_rules(options, library_release_named("--library", *options.library), streams);
  }
  std::vector<std::pair<LibraryCall, LibraryDecision>> chosen;
  for (const Problem& problem : problems) {
    LibraryCall call;
    call.collective = problem.collective;
    call.ranks = problem.ranks;
    call.ranks_per_node = std::min(options.problem.ranks_per_host_count(), problem.ranks);
    call.bytes = problem.bytes;
    call.element_bytes = problem.element_bytes;
    rules.apply_to(call);
    auto decision =
        nccl ? std::optional(decision_of_nccl(options, call)) : built_in_decision(version, call);
    if (!decision) {
      throw UserError(fmt::format(
          "--library '{}': tutti does not know its built-in decisions, only those of {} and NCCL",
          *options.library, fmt::join(versions_with_decisions(), ", ")));
    }
    chosen.emplace_back(call, *std::move(decision));
  }
  if (wrote_choices(
          options, version.name, problems,
          json_array(chosen,
                     [](const auto& each) { return library_choice_json(each.first, each.second); }),
          streams)) {
    return kExitOk;
  }
  const std::string library = options.tables.empty() ? std::string(version.name)
                                                     : fmt::format("{} with {}", version.name,
                                                                   fmt::join(options.tables, ", "));
  if (chosen.size() > 1) {
    print_library_choices(library, options.problem.ranks_per_host_count(), chosen,
                          !options.tables.empty(), streams.out);
    return kExitOk;
  }
  print_library_choice(library, chosen.front().first, chosen.front().second, streams.out);
  return kExitOk;
}

// The answer of a table to a problem.
struct TableAnswer {
  const Problem* problem;
  TableChoice chosen;
  TableRun run;
};

TableAnswer answer_of(const DecisionTable& table, const std::string& path,
                      const ProblemRequest& request, const Problem& problem) {
  const auto chosen = look_up(table, problem.ranks, problem.bytes, problem.element_bytes);
  if (!chosen) {
    throw UserError(fmt::format("'{}' has no rule for {} on {} ranks with {}", path,
                                name(problem.collective), problem.ranks,
                                call_size(problem.collective, problem.bytes, problem.ranks)));
  }
  return {&problem, *chosen, table_run(table, *chosen->choice, request.each, problem)};
}

// Prints a line for each answer.
void print_table_choices(const std::vector<TableAnswer>& answers, std::ostream& out) {
  CallTable lines(answers.front().problem->collective, {{"algorithm"}, {"library"}, {"line", true}},
                  true);
  for (const auto& [problem, chosen, run] : answers) {
    const bool refused = run.what && !run.refusal.empty();
    lines.add(
        problem->ranks, problem->bytes,
        {refused ? fmt::format("{} instead of {}", in_words(run.choice), in_words(*chosen.choice))
                 : in_words(*chosen.choice),
         chosen.choice->library_algorithm, fmt::format("{}", chosen.path.back()->line)});
  }
  lines.print(out);
}

Json table_choice_json(const DecisionTable& table, const TableAnswer& answer) {
  Json json;
  json["ranks"] = answer.problem->ranks;
  json["bytes"] = answer.problem->bytes;
  json["choice"] = choice_json(*answer.chosen.choice);
  json["runs"] = answer.run.what ? choice_json(answer.run.choice) : Json();
  json["refused"] = or_null(answer.run.refusal);
  json["table"] = or_null(table.name);
  json["rules"] = json_array(answer.chosen.path, [&](const Rule* rule) -> Json {
    return {{"line", rule->line}, {"because", conditions_in_words(*rule, table.measure)}};
  });
  return json;
}

int choose_by_table(const ChooseOptions& options, const ProblemRequest& request,
                    const std::vector<Problem>& problems, Streams streams) {
  refuse_nccl_options(options, ": has no effect with --table; use --library \"NCCL 2.30\"");
  if (options.problem.ranks_per_host) {
    throw UserError(
        fmt::format("--ranks-per-host '{}': tables depend only on the number of ranks; leave the "
                    "option out, or add --library to include what decides before the table",
                    *options.problem.ranks_per_host));
  }
  if (options.tables.size() > 1) {
    throw UserError(
        fmt::format("--table '{}': several tables need --library, such as \"Open MPI "
                    "5.0\", whose levels read them",
                    options.tables[1]));
  }
  const std::string& path = options.tables.front();
  if (std::error_code error; std::filesystem::is_directory(path, error)) {
    throw UserError(
        fmt::format("--table '{}': this folder may hold rules for several components of a library; "
                    "add --library, such as \"Open MPI 5.0.6\"",
                    path));
  }
  const Problem& problem = problems.front();
  const RuleFile file = read_sound_rules(path);
  const DecisionTable& table = table_of(file, path, problem.collective);
  std::vector<TableAnswer> answers;
  answers.reserve(problems.size());
  for (const Problem& each : problems) {
    answers.push_back(answer_of(table, path, request, each));
  }
  if (wrote_choices(
          options, "", problems,
          json_array(answers,
                     [&](const TableAnswer& each) { return table_choice_json(table, each); }),
          streams)) {
    return kExitOk;
  }
  if (answers.size() > 1) {
    print_table_choices(answers, streams.out);
    return kExitOk;
  }
  const auto in_words_of_both = [&](const Choice& choice) {
    return in_both_words(file.format, problem.collective, choice);
  };
  const TableChoice& chosen = answers.front().chosen;
  const TableRun& run = answers.front().run;
  constexpr std::size_t kKey = 11;
  fmt::print(streams.out, "{}\n", printable(in_words_of_both(*chosen.choice)));
  if (owns_parts(problem.collective)) {
    print_field(streams.out, 2, kKey, "size",
                call_size_and_benchmark(problem.collective, problem.bytes, problem.ranks));
  }
  print_field(streams.out, 2, kKey, "table", table.name.empty() ? path : table.name);
  for (const Rule* rule : chosen.path) {
    print_field(streams.out, 2, kKey, rule == chosen.path.front() ? "because" : "",
                fmt::format("line {}: {}", rule->line, conditions_in_words(*rule, table.measure)));
  }
  if (!run.refusal.empty()) {
    print_field(streams.out, 2, kKey, "refused", run.refusal);
    print_field(
        streams.out, 2, kKey, "instead",
        run.what ? in_words_of_both(run.choice) : "the table does not say what runs instead");
  }
  return kExitOk;
}

int choose(const ChooseOptions& options, Streams streams) {
  if (options.tables.empty() && !options.library) {
    throw UserError("--table FILE or --library NAME is required");
  }
  const Collective collective = parse_collective(options.collective);
  options.problem.need_ranks("64");
  Algorithm any{};
  any.collective = collective;
  const Algorithm* const alone = &any;
  const ProblemRequest request = parse_request(options.problem, {&alone, 1}, {.lists = true});
  std::vector<Problem> problems;
  for (const std::uint32_t ranks : request.ranks) {
    for (const auto bytes : request.sizes()) {
      problems.push_back(plain_problem(collective, request.each, ranks, bytes));
    }
  }
  return options.library ? choose_by_library(options, problems, streams)
                         : choose_by_table(options, request, problems, streams);
}

}  // namespace

Action add_choose(Command& app, Streams streams) {
  Command& command = app.add_command(
      "choose", "Show what a decision table, a rule file or an MPI library chooses for a call");
  auto options = std::make_shared<ChooseOptions>();
  command.add_option("collective", options->collective, collective_help())
      .type_name("COLLECTIVE")
      .required();
  add_plain_options(command, options->problem);
  OptionGroup(command, "Problem")
      .add("--ranks-per-host", options->problem.ranks_per_host, "COUNT",
           "Ranks on each host, for --library [1]");
  const OptionGroup library(command, "Library or table");
  library
      .add("--table", options->tables, "FILE",
           "Decision table, or a rule file of Open MPI, MPICH or NCCL. With the --library of an "
           "Open MPI or MPICH, show what that release does with this file, or with a folder that "
           "'tutti decide --library' wrote; give the option once for each file that the release "
           "loads")
      .one_at_a_time();
  const std::vector<std::string_view> versions = versions_with_decisions();
  std::vector<std::string> libraries(versions.begin(), versions.end());
  libraries.emplace_back("NCCL 2.30");
  library
      .add("--library", options->library, "NAME",
           fmt::format("Show the decisions of this library release (with the rules of --table, if "
                       "given): {}",
                       fmt::join(libraries, ", ")))
      .words(libraries);
  options->nccl.add_to(command);
  add_json_option(command, options->json, "the choices");
  command.add_examples(
      {"tutti choose allreduce -p 1024 -n 8..4MiB*8 --library \"MPICH 4.2\" "
       "--ranks-per-host 8",
       "tutti choose bcast -p 64 -n 64K --library \"Open MPI 5.0.6\" --table rules.conf "
       "--ranks-per-host 8",
       "tutti choose bcast -p 16 -n 64 --table rules.conf --json -"});
  return [options, streams] { return choose(*options, streams); };
}

}  // namespace tutti::inline commands
