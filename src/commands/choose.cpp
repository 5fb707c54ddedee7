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
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "src/built_in/built_in.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/decisions/nccl_answer.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/experiments/sites/site_files.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/json_lines.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/choice_json.hpp"
#include "src/output/library_choice.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/library_catalogue.hpp"
#include "src/rule_files/library_release.hpp"
#include "src/rule_files/other_files.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace commands {

namespace {

struct ChooseOptions {
  std::string collective;
  ProblemOptions problem;
  std::vector<std::string> tables;
  std::optional<std::string> library;  // a release
  bool xpmem = false;
  NcclOptions nccl;
  JsonPath json;
};

constexpr std::string_view kNcclFamily = "NCCL";

// Returns the releases of NCCL and RCCL that --library accepts: "NCCL 2.19" and so on.
std::vector<std::string> nccl_libraries() {
  std::vector<std::string> names;
  for (const std::string& line : nccl_release_lines()) {
    names.push_back(fmt::format("{} {}", kNcclFamily, line));
  }
  names.push_back(rccl_release().title());
  return names;
}
constexpr std::string_view kMpichFamily = "MPICH";

// A file of rules that NCCL's example tuner loads.
struct TunerFile {
  std::string path;
  RuleFile rules;
};

// Inserts what the tuner does before NCCL's cost model decides, and replaces NCCL's choice by that
// of the first rule that holds and that NCCL can run.
void apply_tuner(const TunerFile& tuner, const LibraryCall& call, const NcclAnswer& answer,
                 LibraryDecision& decision) {
  const auto table =
      std::ranges::find(tuner.rules.tables, call.collective, &DecisionTable::collective);
  std::vector<const Rule*> rules;
  if (table != tuner.rules.tables.end()) {
    rules = rules_that_hold(*table, call.ranks, call.bytes, call.element_bytes, call.nodes());
  }
  std::vector<LibraryLevel> levels;
  for (const Rule* rule : rules) {
    const Choice& choice = *rule->choice;
    const auto way = std::ranges::find_if(answer.ways, [&](const NcclWay& each) {
      return name(each.algorithm) == choice.library_algorithm &&
             name(each.protocol) == choice.protocol;
    });
    const bool runs = way != answer.ways.end() && way->time_us;
    const std::string what = fmt::format("{} with {}", choice.library_algorithm, choice.protocol);
    levels.push_back({0, "tuner", "", fmt::format("{}, line {}", tuner.path, rule->line),
                      conditions_in_words(*rule, table->measure),
                      runs ? fmt::format("{}, {}", what,
                                         choice.channels == 0 ? "as many channels as NCCL chooses"
                                                              : counted(choice.channels, "channel"))
                           : fmt::format("the next rule, because NCCL cannot run {} here{}", what,
                                         way == answer.ways.end() ? "" : ": " + way->why_not)});
    if (runs) {
      decision.path.resize(1);  // the search for channels
      decision.choice = way->schedule.choice;
      decision.lacking = way->schedule.lacking;
      std::ranges::move(levels, std::back_inserter(decision.path));
      return;
    }
  }
  levels.push_back({0, "tuner", "", tuner.path, "no rule holds that NCCL can run",
                    "NCCL's own algorithm, with one channel"});
  decision.path.insert(decision.path.begin() + 1, std::make_move_iterator(levels.begin()),
                       std::make_move_iterator(levels.end()));
}

// Returns the release of NCCL or RCCL that --library names; null if it names another library.
const NcclRelease* nccl_release_of(const ChooseOptions& options) {
  if (!lower_case(*options.library).starts_with(lower_case(kNcclFamily)) &&
      !is_rccl(*options.library)) {
    return nullptr;
  }
  return &nccl_release_named(fmt::format("$library '{}'", *options.library), *options.library,
                             fmt::format("{} ", kNcclFamily));
}

// Returns what NCCL chooses for `call`, according to the rules of `tuner`, unless it is null, and
// to NCCL's own cost model, on the machine that the options describe. Sets call.ranks_per_node to
// the number of GPUs on a node of this machine.
LibraryDecision decision_of_nccl(const ChooseOptions& options, const TunerFile* tuner,
                                 LibraryCall& call) {
  NcclOptions machine = options.nccl.with_ranks_per_host(options.problem.ranks_per_host);
  machine.release = nccl_release_of(options);
  const NcclJob job = machine.job(call.ranks);
  call.ranks_per_node = job.gpus_per_node;
  const NcclAnswer answer = nccl_answer(job, call.collective, call.bytes);
  LibraryDecision decision = nccl_decision(answer);
  if (tuner != nullptr) {
    apply_tuner(*tuner, call, answer, decision);
  }
  return decision;
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
    throw UserError(fmt::format("$table '{}': the folder has no {} for {} per host; {}", folder,
                                fmt::join(names, " or "), counted(ranks_per_host, "rank"),
                                others.empty() ? "name a folder that 'tutti decide --library' wrote"
                                               : fmt::format("it has rules for $ranks_per_host {}",
                                                             fmt::join(others, " or "))));
  }
  return found;
}

// Reads a rule file as `release` does. Throws UserError if the file has errors, or belongs to
// another library.
RuleFile read_site_file(const std::string& path, const std::string& text,
                        const LibraryRelease& release) {
  RuleFile file = read_rules_as(release, text);
  const RuleFinding* const finding = file.first_misread();
  if (finding == nullptr) {
    return file;
  }
  const RuleFormat looks = sniff_format(text);
  if (rule_form(looks).family != release.line->family && read_rules(text, looks).sound()) {
    throw UserError(fmt::format("$table '{}': {} does not read a file of this kind: {}", path,
                                release.name, description(looks)));
  }
  throw UserError(fmt::format("{}: {} ('tutti lint' lists all errors)",
                              place_in_file(path, finding->line), finding->text));
}

// Reads the rules of --table, which replace the library's own decisions. Open MPI reads rules in
// two components (coll/tuned and coll/han), MPICH on three levels.
InstalledRules read_site_rules(const ChooseOptions& options, const LibraryRelease& release,
                               Streams streams) {
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
    check_for_rules(fmt::format("$table '{}'", shortened(printable(path))), text);
    RuleFile file = read_site_file(path, text, release);
    const auto [before, is_new] = seen.emplace(rule_form(file.format).replaces, path);
    if (!is_new) {
      throw UserError(fmt::format(
          "$table '{}': '{}' already has rules that choose {}; {} loads only one such file", path,
          before->second, before->first, release.name));
    }
    if (release.line->family != kMpichFamily) {
      for (const RuleNote& note : file.notes) {
        streams.messages.warning(fmt::format(
            "{}{}: {}", path, note.line > 0 ? fmt::format(":{}", note.line) : "", note.text));
      }
    }
    rules.add(path, text, std::move(file), release);
  }
  return rules;
}

// Reads the one rule file of --table that NCCL's tuner loads; nothing without --table.
std::optional<TunerFile> read_tuner_file(const ChooseOptions& options) {
  if (options.tables.empty()) {
    return std::nullopt;
  }
  if (options.tables.size() > 1) {
    throw UserError(
        fmt::format("$table '{}': NCCL's tuner loads only one file, and '{}' is given "
                    "before it",
                    options.tables[1], options.tables.front()));
  }
  const std::string& path = options.tables.front();
  if (nccl_release_of(options) == &rccl_release()) {
    throw UserError(
        fmt::format("$table '{}': {} reads no rules, only RCCL 2.28.3 and later do; "
                    "leave out $table or $library",
                    path, rccl_release().title()));
  }
  const std::string text = read_text_file(path);
  check_for_rules(fmt::format("$table '{}'", shortened(printable(path))), text);
  return TunerFile{path,
                   read_site_file(path, text, library_release_named("$library", *options.library))};
}

void refuse_nccl_options(const ChooseOptions& options, std::string_view why) {
  if (const std::string flag = options.nccl.given(); !flag.empty()) {
    throw UserError(fmt::format("{}{}", flag, why));
  }
}

// Writes the JSON document with `choices`, one per problem, if the user asked for it. `library`:
// name of the library's release; "" for a table. Returns true if the document went to standard
// output.
bool wrote_choices(const ChooseOptions& options, std::string_view library,
                   const std::vector<Problem>& problems, const std::vector<ChoiceRow>& choices,
                   Streams streams) {
  if (!options.json) {
    return false;
  }
  const ChoiceAnswer answer{problems.front(), library, options.tables, choices};
  return wrote_json(options.json, document_json(kChoiceDocument, answer), streams);
}

// The library of --library.
struct ChosenLibrary {
  std::string name;                         // "Open MPI 5.0"
  const LibraryVersion* version = nullptr;  // null for RCCL
  const NcclRelease* nccl = nullptr;        // null if the library is neither NCCL nor RCCL
};

// Throws UserError if the library is unknown, or if other options do not apply to it.
ChosenLibrary library_to_choose(const ChooseOptions& options) {
  ChosenLibrary library{"", find_library_version(*options.library), nccl_release_of(options)};
  if (library.nccl == &rccl_release()) {
    library.name = library.nccl->title();
  } else if (library.version != nullptr) {
    library.name = library.version->name;
  } else {
    std::vector<std::string_view> accepted = versions_with_decisions();
    std::vector<std::string> shown(accepted.begin(), accepted.end());
    const std::vector<std::string> releases = nccl_libraries();
    shown.push_back(fmt::format("{} to {}", releases.front(), nccl_release_lines().back()));
    shown.push_back(releases.back());
    accepted.insert(accepted.end(), releases.begin(), releases.end());
    throw UserError(fmt::format("$library '{}': unknown library; expected {}{}", *options.library,
                                alternatives(shown),
                                did_you_mean_library(*options.library, accepted)));
  }
  if (options.xpmem && (library.nccl != nullptr || library.version->family != "Open MPI")) {
    throw UserError(fmt::format(
        "$xpmem with $library '{}': only Open MPI's choices depend on it; leave the option out",
        *options.library));
  }
  if (library.nccl == nullptr) {
    refuse_nccl_options(
        options,
        fmt::format(" with $library '{}': only NCCL uses this option; leave the option out",
                    *options.library));
  }
  return library;
}

// Shows what the library of --library chooses for each problem, as text or as JSON. Returns the
// exit code.
int choose_by_library(const ChooseOptions& options, const std::vector<Problem>& problems,
                      Streams streams) {
  const ChosenLibrary of = library_to_choose(options);
  const bool nccl = of.nccl != nullptr;
  InstalledRules rules;
  std::optional<TunerFile> tuner;
  if (nccl) {
    tuner = read_tuner_file(options);
  } else if (!options.tables.empty()) {
    rules = read_site_rules(options, library_release_named("$library", *options.library), streams);
  }
  std::vector<std::pair<LibraryCall, LibraryDecision>> chosen;
  for (const Problem& problem : problems) {
    LibraryCall call;
    call.collective = problem.collective;
    call.ranks = problem.ranks;
    call.ranks_per_node = std::min(options.problem.ranks_per_host_count(), problem.ranks);
    call.bytes = problem.bytes;
    call.element_bytes = problem.element_bytes;
    call.xpmem = options.xpmem;
    rules.apply_to(call);
    auto decision = nccl ? std::optional(decision_of_nccl(options, tuner ? &*tuner : nullptr, call))
                         : built_in_decision(*of.version, call);
    if (!decision) {
      throw UserError(fmt::format(
          "$library '{}': tutti does not know its built-in decisions, only those of {} and NCCL",
          *options.library, fmt::join(versions_with_decisions(), ", ")));
    }
    chosen.emplace_back(call, *std::move(decision));
  }
  std::vector<ChoiceRow> rows;
  for (const auto& [call, decision] : chosen) {
    rows.push_back(choice_row(call, decision));
  }
  if (wrote_choices(options, of.name, problems, rows, streams)) {
    return kExitOk;
  }
  const std::string library =
      options.tables.empty() ? of.name
                             : fmt::format("{} with {}", of.name, fmt::join(options.tables, ", "));
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

// The rule file of --table, and its table for the collective.
struct TableQuery {
  const std::string& path;
  const RuleFile& file;
  const DecisionTable& table;
};

// Throws a UserError that lists what the table chooses for each number of nodes.
[[noreturn]] void ask_for_nodes(const TableQuery& query, const Problem& problem,
                                const std::vector<std::uint32_t>& numbers) {
  std::vector<std::string> choices;
  std::vector<std::string> flags;
  const auto chosen_on = [&](std::optional<std::uint32_t> nodes) -> std::string {
    const auto chosen =
        look_up(query.table, problem.ranks, problem.bytes, problem.element_bytes, nodes);
    return chosen
               ? fmt::format("{} (line {})",
                             in_both_words(query.file.format, problem.collective, *chosen->choice),
                             chosen->path.back()->line)
               : "no rule";
  };
  for (const std::uint32_t nodes : numbers) {
    choices.push_back(fmt::format("on {}, {}", counted(nodes, "node"), chosen_on(nodes)));
    // The most even number of ranks per node that gives this number of nodes.
    const std::uint32_t each = nodes_of(problem.ranks, nodes);
    if (nodes_of(problem.ranks, each) == nodes) {
      flags.push_back(fmt::format("{}", each));
    }
  }
  throw UserError(fmt::format(
      "'{}': the rules for {} on {} with {} depend on the number of nodes: {}; otherwise, {}; add "
      "$ranks_per_host{}",
      query.path, name(problem.collective), counted(problem.ranks, "rank"),
      call_size(problem.collective, problem.bytes, problem.ranks), fmt::join(choices, "; "),
      chosen_on(std::nullopt), flags.empty() ? "" : " " + alternatives(flags)));
}

TableAnswer answer_of(const TableQuery& query, const ChooseOptions& options,
                      const ProblemRequest& request, const Problem& problem) {
  const DecisionTable& table = query.table;
  std::optional<std::uint32_t> nodes;
  if (options.problem.ranks_per_host) {
    nodes = nodes_of(problem.ranks, options.problem.ranks_per_host_count());
  } else if (const auto numbers =
                 nodes_that_decide(table, problem.ranks, problem.bytes, problem.element_bytes);
             !numbers.empty()) {
    ask_for_nodes(query, problem, numbers);
  }
  const auto chosen = look_up(table, problem.ranks, problem.bytes, problem.element_bytes, nodes);
  if (!chosen) {
    throw UserError(fmt::format("'{}' has no rule for {} on {} ranks{} with {}", query.path,
                                name(problem.collective), problem.ranks,
                                nodes ? fmt::format(" and {}", counted(*nodes, "node")) : "",
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
         library_in_words(*chosen.choice), fmt::format("{}", chosen.path.back()->line)});
  }
  lines.print(out);
}

int choose_by_table(const ChooseOptions& options, const ProblemRequest& request,
                    const std::vector<Problem>& problems, Streams streams) {
  refuse_nccl_options(options,
                      fmt::format(" has no effect with $table; use $library=\"{}\" instead",
                                  options.nccl.used_release().title()));
  if (options.tables.size() > 1) {
    throw UserError(
        fmt::format("$table '{}': several tables need $library, such as \"Open MPI "
                    "5.0\", whose levels read them",
                    options.tables[1]));
  }
  const std::string& path = options.tables.front();
  if (std::error_code error; std::filesystem::is_directory(path, error)) {
    throw UserError(
        fmt::format("$table '{}': this folder may hold rules for several components of a library; "
                    "add $library, such as \"Open MPI 5.0.6\"",
                    path));
  }
  const Problem& problem = problems.front();
  const RuleFile file = read_sound_rules(path);
  // Only NCCL's and RCCL's rules can ask for a number of nodes.
  if (options.problem.ranks_per_host && file.format != RuleFormat::nccl &&
      file.format != RuleFormat::rccl) {
    throw UserError(
        fmt::format("$ranks_per_host '{}': {} depend only on the number of ranks; leave the "
                    "option out, or add $library to include what decides before the table",
                    options.problem.ranks_per_host->text, description(file.format)));
  }
  const DecisionTable& table = table_of(file, path, problem.collective);
  std::vector<TableAnswer> answers;
  answers.reserve(problems.size());
  for (const Problem& each : problems) {
    answers.push_back(answer_of({path, file, table}, options, request, each));
  }
  std::vector<ChoiceRow> rows;
  for (const auto& [of, chosen, run] : answers) {
    rows.push_back(choice_row(*of, table, chosen, run));
  }
  if (wrote_choices(options, "", problems, rows, streams)) {
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
    print_field(streams.out, 2, kKey, "refused", with_fields(run.refusal));
    print_field(
        streams.out, 2, kKey, "instead",
        run.what ? in_words_of_both(run.choice) : "the table does not say what runs instead");
  }
  return kExitOk;
}

int choose(const ChooseOptions& options, Streams streams) {
  if (options.tables.empty() && !options.library) {
    throw UserError("$table FILE or $library NAME is required");
  }
  const Collective collective = parse_collective(options.collective);
  options.problem.need_ranks("64");
  Algorithm any{};
  any.collective = collective;
  const Algorithm* const alone = &any;
  const ProblemRequest request = parse_request(options.problem, {&alone, 1}, {});
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
  options->problem.add_plain_to(command, Values::list);
  options->problem.add_ranks_per_host(OptionGroup(command, "Problem"));
  command.option("--ranks-per-host")
      .description("Ranks on each host, for --library and for rules that ask for nodes [1]");
  const OptionGroup library(command, "Library or table");
  library
      .add("--table", options->tables, "FILE",
           "Decision table, or a rule file of Open MPI, MPICH, NCCL, RCCL or UCC. With the "
           "--library of an Open MPI, MPICH or NCCL, show what that release does with this file, "
           "or with a folder that 'tutti decide --library' wrote; give the option once for each "
           "file that the release loads")
      .one_at_a_time();
  const std::vector<std::string_view> versions = versions_with_decisions();
  std::vector<std::string> libraries(versions.begin(), versions.end());
  std::ranges::copy(nccl_libraries(), std::back_inserter(libraries));
  library
      .add("--library", options->library, "NAME",
           fmt::format("Show the decisions of this library release (with the rules of --table, if "
                       "given): {}",
                       fmt::join(libraries, ", ")))
      .words(libraries);
  library.flag("--xpmem", options->xpmem,
               "Ranks on a node can map each other's memory, as with the kernel module XPMEM: "
               "Open MPI's coll/han then runs alltoall and alltoallv, too [assume that they "
               "cannot]");
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

}}  // namespace tutti::commands
