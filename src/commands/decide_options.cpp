#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/quantities.hpp"
#include "schedules/options/tree.hpp"
#include "src/built_in/built_in.hpp"
#include "src/commands/decide_request.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/decisions/nccl_answer.hpp"
#include "src/requests/common_options.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace commands {

namespace {

constexpr std::uint32_t kMostPlacements = 10'000;

// Returns the formats of rule files in which rules name a library's algorithms, and in which tutti
// writes rules. tutti's own format is not one of them.
std::vector<RuleFormat> libraries() {
  std::vector<RuleFormat> forms(kRuleFormats.begin(), kRuleFormats.end());
  std::erase_if(forms, [](RuleFormat each) {
    return !rule_form(each).names_algorithms || each == RuleFormat::rccl;
  });
  return forms;
}

// Returns the formats of libraries() as a phrase for the help, such as "ompi4 (Open MPI 4.1 to
// 5.0.6), ompi6 or nccl".
std::string libraries_in_words() {
  std::vector<std::string> words;
  for (const RuleFormat format : libraries()) {
    const std::string_view serves = rule_form(format).serves;
    words.push_back(serves.empty() ? std::string(name(format))
                                   : fmt::format("{} ({})", name(format), serves));
  }
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::vector<std::pair<std::string_view, ExportFormat>> export_formats() {
  std::vector<std::pair<std::string_view, ExportFormat>> formats;
  for (const RuleFormat format : libraries()) {
    formats.emplace_back(name(format), ExportFormat{format, false});
  }
  formats.emplace_back("json", ExportFormat{});
  formats.emplace_back("csv", ExportFormat{RuleFormat::tutti, true});
  return formats;
}

struct AsExport : AsWord<export_formats> {
  ExportFormat operator()(std::string_view from, const std::string& text) const {
    if (text == name(RuleFormat::rccl)) {
      throw UserError(fmt::format(
          "{0} 'rccl': tutti has no schedules with RCCL's rings, so a rule might make it slower; "
          "{0} csv writes the times",
          from));
    }
    return AsWord<export_formats>::operator()(from, text);
  }
};

// Parses a share, written "5%" or "0.05".
double parse_share(std::string_view from, const std::string& text) {
  const bool percent = text.ends_with('%');
  const double number =
      parse_number(from, std::string_view(text).substr(0, text.size() - (percent ? 1 : 0)));
  const double share = percent ? number / 100 : number;
  if (share >= 1) {
    throw UserError(
        fmt::format("{} '{}': must be a share below 1, such as 0.05 or 5%", from, text));
  }
  return share;
}

double parse_model_loss(std::string_view from, const std::string& text) {
  const double share = parse_share(from, text);
  if (1 + share > kNearChoice) {
    throw UserError(
        fmt::format("{} '{}': must be at most {:g}%", from, text, 100 * (kNearChoice - 1)));
  }
  return share;
}

std::size_t parse_at_most(std::string_view from, const std::string& text) {
  constexpr std::size_t kMostRules = 1000;
  const std::uint64_t most = parse_count(from, text, kMostRules);
  if (most == 0) {
    throw UserError(fmt::format("{} '{}': must be from 1 to {} for each number of ranks", from,
                                text, kMostRules));
  }
  return most;
}

LibraryRelease parse_library(std::string_view from, const std::string& text) {
  return library_release_named(from, text, versions_with_decisions());
}

// The words after --by.
struct AsTimesSource {
  static std::vector<std::string> words() {
    std::vector<std::string> names;
    for (const TimedBy by : kTimesBy) {
      names.emplace_back(name(by));
    }
    return names;
  }
  TimesSource operator()(std::string_view from, const std::vector<std::string>& given) const {
    const bool measured = given.front() == name(TimedBy::measured);
    if (given.size() == 2 && !measured) {
      throw UserError(
          fmt::format("{0} '{1} {2}': only {0} measured takes a file; leave the file out", from,
                      given[0], given[1]));
    }
    if (given.size() == 1 && measured) {
      throw UserError(fmt::format("{0} 'measured': needs a file; write {0} measured FILE", from));
    }
    for (const TimedBy by : kTimesBy) {
      if (given.front() == name(by)) {
        return {by, measured ? given[1] : ""};
      }
    }
    throw UserError(
        fmt::format("{} '{}': expected simulation, exact, longest-path or measured FILE{}", from,
                    given.front(), did_you_mean(given.front(), words())));
  }

 private:
  static constexpr std::array kTimesBy{TimedBy::simulation, TimedBy::exact, TimedBy::longest_path,
                                       TimedBy::measured};
};

}  // namespace

DecisionExport export_of(const DecideOptions& options) {
  DecisionExport exported;
  if (options.export_format) {
    exported.csv = options.export_format->value.csv;
    exported.format = options.export_format->value.rules;
    exported.path = options.output.value_or("-");
  } else if (options.output) {
    throw UserError(
        fmt::format("$output '{}': needs $export, which says what to write", *options.output));
  }
  check_one_standard_output({&options.results.json, &options.results.csv, &exported.path});
  if (exported.path && !exported.csv && !options.contenders.with.empty()) {
    throw UserError(
        fmt::format("$with '{}': libraries do not have your program, so rules cannot name it; "
                    "leave out $export, or use $export csv",
                    options.contenders.with.front()));
  }
  return exported;
}

void DecideOptions::add_to(Command& command, Streams streams) {
  contenders.add_to(command);
  problem.add_to(command, Values::list);
  command.option("--ranks-per-host").read_into(problem.ranks_per_host, parse_ranks_per_host);
  for (const char* name : {"--block-bytes", "--block-skew", "--collective"}) {
    command.remove_option(name);
  }
  command.option("--ranks").description(
      "Numbers of ranks, such as 8 or 4,8,16 or 2..64 (all of these) or 2..1024*2 (2, 4, 8, ..., "
      "1024)");
  command.option("--bytes").description(kSizesHelp);
  command.option("--segment")
      .description(
          "Bytes of a segment, for algorithms that pipeline; auto [default]: a power of two, or "
          "three times a power of two, near the size that the model predicts to be best, or the "
          "algorithm's own default, if that is faster");
  take_several_skips(command,
                     "Skips of circulant algorithms: halving, doubling, linear, sqrt, a list such "
                     "as 5,3,2,1, or all [default]");
  command.option("--tree").description(
      fmt::format("Tree of pipelined algorithms: {}, or all [default]: every one of these if "
                  "--export is given, otherwise the first {}",
                  fmt::join(kTreeNames, ", "), kCommonTrees));
  machine.add_to(command, true);
  machine.what_if.add_to(command, false);
  for (const char* name : {"--engine", "--ports", "--placement"}) {
    command.option(name).usual(false);
  }
  command.option("--seed").description(
      "Seed of the random draws of --jitter, --late-ranks and --placements [1]");
  const OptionGroup how(command, "How to decide");
  how.add("--by", times, "WHAT [FILE]",
          "Source of the times: simulation [default], exact (closed forms), longest-path, or "
          "measured FILE, where FILE is the output of tutti-mpi run --json, a table with the "
          "columns ranks, bytes, algorithm and seconds, or ALGORITHM@RANKS=FILE with the output of "
          "an OSU, Intel, NCCL or PICO benchmark",
          AsTimesSource())
      .at_most(2);
  how.add("--tolerance", tolerance, "SHARE",
          "Keep an extra rule only if it saves at least this share of the time, averaged over "
          "log(size) [1%]; 0: name the best algorithm for every size",
          parse_share);
  how.add("--rules-at-most", rules_at_most, "COUNT",
          "Largest number of rules for each number of ranks; the rules kept are those that lose "
          "least time [no limit beyond --tolerance]",
          parse_at_most);
  how.add("--crossover", crossover, "SHARE",
          "Relative precision with which to find the sizes at which the best algorithm changes "
          "[5%]; 0: try only the sizes of -n",
          parse_share);
  how.flag("--all", everything,
           "Simulate all candidates to their end; otherwise, a simulation stops at twice the best "
           "time. Show every range of sizes with the lead of its best algorithm, and every cell of "
           "--against");
  how.add("--against", against, "FILE|LIBRARY",
          "Show how much time other choices lose against the best: those of a decision table, of a "
          "rule file, or of the built-in decisions of " +
              fmt::format("{}; nccl: NCCL's choice by its own model, on the machine of --gpu and "
                          "related options",
                          fmt::join(versions_with_decisions(), ", ")))
      .usual();
  how.add("--library", library, "NAME",
          "Write all rules for this release of a library, such as \"Open MPI 5.0.6\" or \"MPICH "
          "4.2\", for one collective or all; -o is then a folder, and --ranks-per-host a list",
          parse_library)
      .usual();
  how.add("--messages-at-most", messages_at_most, "COUNT",
          "With --library, on more than 128 ranks: do not simulate schedules with more messages "
          "than this (estimated from fewer ranks), and leave out numbers of ranks where such a "
          "schedule might be the best [2200000]",
          AsPositiveCount());
  how.add("--profile", profile, "FILE",
          "File with the calls of a program, instead of -p and -n: decide what saves this program "
          "most "
          "time, for COLLECTIVE or all collectives, and show what is saved for each size. With "
          "--library or --against LIBRARY, only what rules for that library can choose; these need "
          "--ranks-per-host. The file is CSV "
          "with columns collective, p, bytes, calls; a time-independent SimGrid trace (smpirun "
          "-trace-ti); an mpiP report; an IPM log; or the output of Open MPI's monitoring")
      .usual();
  how.add("--placements", placements, "COUNT",
          "Decide by the mean time over this many random placements, and show how the choice "
          "depends on the placement; they are those of --placement random:SEED, with SEED counting "
          "up from the value of --seed",
          AsPositiveCount<kMostPlacements>());
  add_sure(how, sure, kSureHelp);
  nccl.add_to(command);
  const OptionGroup nccl_group(command, "NCCL's machine");
  nccl_group
      .add("--nccl-version", nccl.release, "RELEASE",
           fmt::format("Release of NCCL, such as 2.27 or 2.27.5 [{}]", nccl_default_release().name),
           parse_nccl_release)
      .words(nccl_release_lines());
  nccl_group.add(
      "--model-loss", model_loss, "SHARE",
      "With --export nccl: largest loss by NCCL's own model that a rule may have, though it is "
      "faster by simulation; at most 50% [0]",
      parse_model_loss);
  add_sweep_options(command, sweep, streams);
  results.add_to(command);
  const OptionGroup files(command, "Output");
  files
      .add("--export", export_format, "NAME",
           "Format to write. " + libraries_in_words() +
               ": rules for that library, which name its own algorithms; json: a table for "
               "--against and 'tutti choose'; csv: all times. A number of ranks between two values "
               "of -p uses the rules of the lower one",
           AsExport())
      .usual();
  files
      .add("-o,--output", output, "FILE|FOLDER|-",
           "File for --export [-], or new folder for --library")
      .usual();
  add_jobs(command, jobs);
}

}}  // namespace tutti::commands
