// tutti lint: shows what a rule file really means, and reports its errors, including those that
// libraries silently ignore.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/documents.hpp"
#include "src/commands/linted_file.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/ran/rules_ran.hpp"
#include "src/experiments/ran/run_log.hpp"
#include "src/experiments/sites/site_files.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/rules_ran_output.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/requests/problem_options.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/library_release.hpp"
#include "src/rule_files/nccl/csv.hpp"
#include "src/rule_files/other_files.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace commands {

namespace {

struct LintOptions {
  std::vector<std::string> files;
  std::optional<RuleFormat> format;
  std::optional<ValueWithText<LibraryRelease>> library;
  std::vector<std::string> ran;  // paths of files
  RanksOption ranks;             // for rules of NCCL that are for any number of ranks
  NcclOptions nccl;
  std::optional<std::string> output;  // path of a file
  JsonPath json;
};

std::vector<std::pair<std::string_view, RuleFormat>> formats() {
  std::vector<std::pair<std::string_view, RuleFormat>> all;
  for (const RuleFormat format : kRuleFormats) {
    all.emplace_back(name(format), format);
  }
  return all;
}

LibraryRelease parse_library_release(std::string_view from, const std::string& text) {
  return library_release_named(from, text);
}

namespace lint_fields {

constexpr std::array<std::string_view, 2> kSeverities{"warning", "error"};

constexpr auto kFinding = fields<RuleFinding>({
    {"line", member<&RuleFinding::line>, at_least(1)},
    {"severity", [](const RuleFinding& of) { return kSeverities[of.serious ? 1 : 0]; },
     one_of(kSeverities)},
    {"text", member<&RuleFinding::text>},
});

constexpr auto kNote = fields<RuleNote>({
    {"line", member<&RuleNote::line>, "0: the note is about the whole file."},
    {"text", member<&RuleNote::text>},
});

std::vector<JsonValue> tables_of(const LintedFile& file) {
  std::vector<JsonValue> tables;
  for (const DecisionTable& table : file.rules.tables) {
    tables.push_back(table_json(table));
  }
  return tables;
}

constexpr auto kFile = fields<LintedFile>({
    {"file", [](const LintedFile& of) { return printable(of.path); }},
    {"format", [](const LintedFile& of) { return name(of.rules.format); },
     one_of(words_of<kRuleFormats>)},
    {"description", [](const LintedFile& of) { return description(of.rules.format); },
     "The format in words."},
    {"rule_file", member<&LintedFile::is_rule_file>,
     "False if the file has errors and no rules, and neither --format nor --library says what it "
     "is."},
    {"sound", [](const LintedFile& of) { return of.rules.sound(); },
     "True if no finding is an error."},
    {"cut_at", [](const LintedFile& of) { return value_if(of.rules.cut_at > 0, of.rules.cut_at); },
     at_least(1),
     "The line up to which the library reads the file as it is written, if a count is wrong or the "
     "end is missing."},
    {"findings", kFinding, [](const LintedFile& of) -> const auto& { return of.rules.findings; }},
    {"notes", kNote, [](const LintedFile& of) -> const auto& { return of.rules.notes; },
     "Information that is not a fault of the file."},
    {"decided_before", [](const LintedFile& of) { return text_if_any(of.decided_before); },
     "What takes precedence over the rules in this release. null if nothing does, or without "
     "--library."},
    {"tables", from<tables_of>, "The rules of the file, as tables in the form tutti-decisions/1."},
    {"others", [](const LintedFile& of) -> const auto& { return of.rules.others; },
     "Collectives of the file whose rules are not shown: tutti does not have them, or does not "
     "model the library's algorithms for them."},
    {"ran", kRulesRanFields, member<&LintedFile::ran>,
     "What the runs of --ran used. null without this option, and for rules that name no "
     "algorithm."},
});

struct Answer {
  std::optional<std::string> library;
  bool sound;
  const std::vector<LintedFile>& files;
};

constexpr auto kLint = fields<Answer>({
    {"library", member<&Answer::library>, "Value of --library. null without this option."},
    {"sound", member<&Answer::sound>, "True if no finding in any file is an error."},
    {"files", kFile, [](const Answer& of) -> const auto& { return of.files; }, items_from(1),
     "The file or, of a folder, each rule file in it."},
});

constexpr DocumentOf<Answer> kDocument{
    {"tutti-lint/2", "meaning and faults of rule files, as written by tutti lint --json",
     kLint.view()}};

}  // namespace lint_fields

// Returns the paths of the rule files: `path` itself or, if it is a folder, the files in it and in
// its folders that have the name of a file that 'tutti decide --library' writes. Throws UserError
// if there are none.
std::vector<std::string> rule_files_at(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return {path};
  }
  std::vector<std::string> found;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry.depth() > 0) {
      entry.disable_recursion_pending();
    }
    const std::string name = entry->path().filename().string();
    if (std::ranges::find(kSiteFileNames, name) != kSiteFileNames.end()) {
      found.push_back(entry->path().string());
    }
  }
  if (found.empty()) {
    throw UserError(fmt::format(
        "'{}': the folder has no {}; name a file, or a folder that 'tutti decide --library' wrote",
        path, fmt::join(kSiteFileNames, ", ")));
  }
  std::ranges::sort(found);
  return found;
}

std::size_t rules_in(const std::vector<Rule>& rules) {
  std::size_t count = 0;
  for (const Rule& rule : rules) {
    count += 1 + rules_in(rule.then);
  }
  return count;
}

// False if the text only resembles the format that was detected: nearly every line is an error.
bool has_form_of_rules(const RuleFile& file) {
  constexpr std::size_t kFewErrors = 5;
  constexpr std::size_t kErrorsPerRule = 4;
  std::size_t rules = 0;
  for (const DecisionTable& table : file.tables) {
    rules += rules_in(table.rules);
  }
  const auto errors =
      static_cast<std::size_t>(std::ranges::count_if(file.findings, &RuleFinding::serious));
  return file.rejected || ((!file.tables.empty() || !file.others.empty()) &&
                           errors <= std::max(kFewErrors, kErrorsPerRule * rules));
}

// Sets LintedFile::ran of the files to what the runs of --ran used. Throws UserError if a run
// cannot show the use of any of the files.
void add_runs(const LintOptions& options, std::vector<LintedFile>& files) {
  if (std::ranges::none_of(files,
                           [](const LintedFile& each) { return run_shows(each.rules.format); })) {
    throw UserError(fmt::format(
        "$ran '{}': a run shows the use of rules that name algorithms, but '{}' is a file of the "
        "kind: {}",
        options.ran.front(), files.front().path, description(files.front().rules.format)));
  }
  const RunLog log = read_run_logs(options.ran);
  std::optional<LibraryRelease> release;
  if (options.library) {
    release = options.library->value;
  }
  const auto han = std::ranges::find_if(
      files, [](const LintedFile& each) { return each.rules.format == RuleFormat::han; });
  const std::span<const DecisionTable> components =
      han == files.end() ? std::span<const DecisionTable>() : han->rules.tables;
  for (LintedFile& each : files) {
    if (run_shows(each.rules.format)) {
      each.ran = rules_ran(each.path, each.text, each.rules, components, log, release);
    }
  }
}

LintedFile lint_file(const LintOptions& options, const std::string& path) {
  std::string text = read_text_file(path);
  if (!options.format) {
    check_for_rules(fmt::format("'{}'", shortened(printable(path))), text);
  }
  LintedFile file;
  file.path = path;
  if (options.library) {
    const LibraryRelease& release = options.library->value;
    file.rules = read_rules_as(release, text, options.format);
    std::vector<Collective> collectives;
    for (const DecisionTable& table : file.rules.tables) {
      collectives.push_back(table.collective);
    }
    file.decided_before = decided_before(file.rules.format, release.release, collectives);
  } else {
    file.rules = read_rules(text, options.format.value_or(sniff_format(text)));
  }
  // Only the name of UCC's variable makes a file one of UCC.
  file.is_rule_file = file.rules.sound() || file.rules.cut_at > 0 ||
                      has_form_of_rules(file.rules) || options.format || options.library ||
                      file.rules.format == RuleFormat::ucc;
  file.text = std::move(text);
  if (file.rules.format == RuleFormat::nccl && file.is_rule_file) {
    compare_with_nccl(options.library ? std::optional(options.library->value) : std::nullopt,
                      options.nccl,
                      options.ranks ? options.ranks->value : std::vector<std::uint32_t>(), file);
  }
  return file;
}

// Throws UserError for options that only rules of NCCL use, if there are no such rules.
void refuse_nccl_options(const LintOptions& options, const std::vector<LintedFile>& files) {
  if (std::ranges::any_of(
          files, [](const LintedFile& each) { return each.rules.format == RuleFormat::nccl; })) {
    return;
  }
  const std::string given = options.ranks ? "$ranks" : options.nccl.given();
  if (!given.empty()) {
    throw UserError(fmt::format(
        "{}: only rules of NCCL are compared with what the library itself chooses; leave it out",
        given));
  }
}

// Throws UserError unless the rules can be written again.
void check_output(const LintOptions& options, const std::vector<LintedFile>& files) {
  if (!options.output) {
    return;
  }
  if (files.size() > 1) {
    throw UserError(fmt::format("$output '{}': needs a single file, but there are {}",
                                *options.output, files.size()));
  }
  const RuleFormat format = files.front().rules.format;
  if (format != RuleFormat::nccl && format != RuleFormat::rccl) {
    throw UserError(
        fmt::format("$output '{}': only rules of NCCL and RCCL can be written again, not {}",
                    *options.output, description(format)));
  }
  check_one_standard_output({&options.output, &options.json});
}

int lint(const LintOptions& options, Streams streams) {
  std::vector<LintedFile> files;
  std::set<std::string> seen;
  for (const std::string& given : options.files) {
    for (const std::string& path : rule_files_at(given)) {
      if (!seen.insert(path).second) {
        throw UserError(fmt::format("'{}': the file is given twice", shortened(printable(path))));
      }
      files.push_back(lint_file(options, path));
    }
  }
  if (!options.ran.empty()) {
    add_runs(options, files);
  }
  refuse_nccl_options(options, files);
  check_output(options, files);
  if (options.output && files.front().gpu_is_assumed && !files.front().losing.empty()) {
    files.front().losing.clear();  // on another GPU, these rules may win
    files.front().rules.note(0,
                             "rules that lose on the assumed GPU are kept in the new file; --gpu "
                             "says for which GPU they are");
  }
  OptionalOutput output(options.output, streams.out);
  output.write([&](std::ostream& out) {
    write_sound_rules(files.front().text, files.front().rules, files.front().losing, out);
  });
  const bool sound =
      std::ranges::all_of(files, [](const LintedFile& file) { return file.rules.sound(); });
  if (!wrote_json(
          options.json,
          document_json(lint_fields::kDocument,
                        lint_fields::Answer{
                            options.library ? std::optional(options.library->text) : std::nullopt,
                            sound, files}),
          streams) &&
      options.output != "-") {
    for (const LintedFile& file : files) {
      streams.out << (&file == &files.front() ? "" : "\n");
      print_linted_file(file, streams.out);
    }
  }
  return sound ? kExitOk : kExitCheckFailed;
}

}  // namespace

const DocumentType& lint_document() { return lint_fields::kDocument; }

Action add_lint(Command& app, Streams streams) {
  Command& command =
      app.add_command("lint", "Check a rule file of an MPI library, and show what it means");
  auto options = std::make_shared<LintOptions>();
  command
      .add_option("file", options->files,
                  "Decision tables, or rules of Open MPI, MPICH, NCCL, RCCL or UCC; or a folder "
                  "that 'tutti "
                  "decide --library' wrote")
      .type_name("FILE")
      .required();
  const OptionGroup group(command, "Options");
  group.add("--format", options->format, "NAME",
            "Format: tutti, ompi4 (Open MPI 4.1 to 5.0.6), ompi5 (from 5.0.7), ompi6, han "
            "(coll/han), mpich (4.0), mpich41, mpich43, mpich51, mpich_ch4 (compositions), "
            "mpich_posix (shared memory), nccl, rccl or ucc [detected from the file]",
            AsWord<formats>());
  group.add("--library", options->library, "NAME",
            "Read the file as this release of a library does, such as \"Open MPI 5.0.6\" or "
            "\"MPICH 4.2\", and show what decides before the file's rules do",
            parse_library_release);
  group
      .add("--ran", options->ran, "FILE",
           "Output of a run, to show how often it used each rule: from Open MPI (--mca "
           "coll_base_verbose 10 --mca mpi_show_mca_params all), MPICH 5.1 "
           "(MPIR_CVAR_DUMP_COLL_ALGO_COUNTERS=0) or NCCL (NCCL_DEBUG=INFO "
           "NCCL_DEBUG_SUBSYS=INIT,TUNING), or a profile of its calls, as 'tutti decide --profile' "
           "reads; give the option once for each file")
      .one_at_a_time();
  group.add("-o,--output", options->output, "FILE|-",
            "For rules of NCCL or RCCL: write the file again, without rules that have errors, and "
            "with NCCL's own choice instead of rules that lose by its model");
  group.add("-p,--ranks", options->ranks, "COUNTS",
            "Numbers of ranks for which to compare rules of NCCL that are for any number of ranks",
            parse_gpus);
  options->nccl.add_to(command);
  add_json_option(command, options->json, "the findings");
  command.add_examples({"tutti lint rules.conf",
                        "tutti lint rules.conf --library \"Open MPI 5.0.6\"",
                        "tutti lint examples/decisions/open_mpi_4.1.json"});
  return [options, streams] { return lint(*options, streams); };
}

}}  // namespace tutti::commands
