#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "schedules/options/tree.hpp"
#include "src/built_in/built_in.hpp"
#include "src/commands/decide_request.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"
#include "src/rule_files/forms/rule_form.hpp"

namespace tutti::inline commands {

namespace {

// The formats of libraries whose rules name algorithms.
std::vector<RuleFormat> libraries() {
  std::vector<RuleFormat> forms(kRuleFormats.begin(), kRuleFormats.end());
  std::erase_if(forms, [](RuleFormat each) { return rule_form(each).algorithms == nullptr; });
  return forms;
}

// List for the help: "ompi4 (Open MPI 4.1 to 5.0.6), ompi6 or nccl".
std::string libraries_in_words() {
  std::vector<std::string> words;
  for (const RuleFormat format : libraries()) {
    const std::string_view serves = rule_form(format).serves;
    words.push_back(serves.empty() ? std::string(name(format))
                                   : fmt::format("{} ({})", name(format), serves));
  }
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::vector<std::string> export_names() {
  std::vector<std::string> names;
  for (const RuleFormat format : libraries()) {
    names.emplace_back(name(format));
  }
  names.insert(names.end(), {"json", "csv"});
  return names;
}

}  // namespace

DecisionExport parse_export(const OptionText& text) {
  if (!text) {
    return {};
  }
  if (text == "csv" || text == "json") {
    return {true, RuleFormat::tutti, text == "csv"};
  }
  for (const RuleFormat format : libraries()) {
    if (text == name(format)) {
      return {true, format, false};
    }
  }
  throw UserError(fmt::format("--export '{}': {}", *text, accepted_words(*text, export_names())));
}

void refuse_own_in_rules(const DecideOptions& options, const DecisionExport& exported) {
  if (exported.asked && !exported.csv && !options.contenders.with.empty()) {
    throw UserError(
        fmt::format("--with '{}': no library has a program of yours, so no rules can "
                    "name it; leave out --export, or --export csv",
                    options.contenders.with.front()));
  }
}

void DecideOptions::add_to(Command& command) {
  contenders.add_to(command);
  problem.add_to(command);
  for (const char* name : {"--block-bytes", "--block-skew"}) {
    command.remove_option(name);
  }
  command.option("--ranks").description("Numbers of ranks: 8, 4,8,16, 2..64, 2..1024*2");
  command.option("--bytes").description("Sizes, in the same way: 64K, 8..16MiB*2");
  command.option("--segment")
      .description(
          "Bytes of a segment, for algorithms that pipeline; auto [default]: a power of two, or "
          "three times one, near the best by the model");
  take_several_skips(command,
                     "Skips of circulant algorithms: halving, doubling, linear, sqrt, a list such "
                     "as 5,3,2,1, or all [default]");
  command.option("--tree").description(
      fmt::format("Of pipelined algorithms: {}, or all [default]: the first {}; for --export each",
                  fmt::join(kTreeNames, ", "), kCommonTrees));
  machine.add_to(command, true);
  machine.what_if.add_to(command, false);
  command.option("--seed").description(
      "Seed of the random draws of --jitter, --late-ranks and --placements [1]");
  constexpr const char* kDecision = "How to decide";
  command
      .add_option(
          "--by", by,
          "Where times come from: simulation [default], exact (closed forms), longest-path, "
          "or measured FILE, with what tutti-mpi run --json wrote, a table of ranks, bytes, "
          "algorithm and seconds, or ALGORITHM@RANKS=FILE, with what a benchmark of OSU, "
          "Intel, NCCL or PICO printed")
      .type_name("WHAT [FILE]")
      .at_most(2)
      .group(kDecision)
      .words(times_by_names());
  command
      .add_option("--tolerance", tolerance,
                  "Keep an extra rule only if it saves at least this share of the time, averaged "
                  "over log(size) [1%]; 0: the best for every size")
      .type_name("SHARE")
      .group(kDecision);
  command
      .add_option(
          "--rules-at-most", rules_at_most,
          "Largest number of rules for each number of ranks; keeps those that lose least [as "
          "many as --tolerance keeps]")
      .type_name("COUNT")
      .group(kDecision);
  command
      .add_option("--crossover", crossover,
                  "How well boundaries between sizes shall be known [5%]; 0: only the grid")
      .type_name("SHARE")
      .group(kDecision);
  command
      .add_flag(
          "--all", everything,
          "Simulate also what cannot win: whose closed form, at the fastest route's prices, "
          "takes twice as long as the best; and show every range of sizes with its lead, and every "
          "cell of --against")
      .group(kDecision);
  command
      .add_option("--against", against,
                  "What this decision table or rule file loses against the best, or what a library "
                  "has built in: " +
                      fmt::format("{}; nccl: what NCCL would choose by its own model, on the "
                                  "machine of --gpu and the like",
                                  fmt::join(versions_with_decisions(), ", ")))
      .type_name("FILE|LIBRARY")
      .group(kDecision);
  command
      .add_option("--library", library,
                  "All rules that this release reads, such as \"Open MPI 5.0.6\" or \"MPICH 4.2\", "
                  "of one collective or of all; -o is then a folder, and --ranks-per-host a list")
      .type_name("NAME")
      .group(kDecision);
  command
      .add_option(
          "--messages-at-most", messages_at_most,
          "With --library: on more than 128 ranks, schedules of more messages are not "
          "simulated (estimated from fewer), and numbers of ranks where one of them might be "
          "the best are left out [2200000]")
      .type_name("COUNT")
      .group(kDecision);
  command
      .add_option("--profile", profile,
                  "What a program calls, in place of -p and -n: decides for its own seconds, for "
                  "COLLECTIVE or all of it, and says what each rule saves. CSV with columns "
                  "collective, p, bytes, calls; a time-independent trace of SimGrid (smpirun "
                  "-trace-ti); a report of mpiP; a log of IPM; or what Open MPI's monitoring "
                  "printed")
      .type_name("FILE")
      .group(kDecision);
  command
      .add_option("--placements", placements,
                  "Decides by the mean time over so many random placements of the ranks, those of "
                  "--placement random:SEED with --seed and the seeds that follow, and says how the "
                  "choice depends on them")
      .type_name("COUNT")
      .group(kDecision);
  nccl.add_to(command);
  sweep.add_to(command);
  results.add_to(command);
  command
      .add_option("--export", export_format,
                  "Write rules for " + libraries_in_words() +
                      ", of the algorithms that it has; json: a table for --against and "
                      "choose; csv: all times. Numbers of ranks between those of -p take the "
                      "next lower one's rules")
      .type_name("NAME")
      .group("Output")
      .words(export_names());
  command
      .add_option("-o,--output", output, "Where --export writes to [-], or the folder of --library")
      .type_name("FILE|FOLDER|-")
      .group("Output");
  command.add_option("--jobs", jobs, "Runs at a time [as many as there are processors]")
      .type_name("COUNT");
}

}  // namespace tutti::inline commands
