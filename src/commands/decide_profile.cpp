// tutti decide --profile: chooses algorithms for the collective calls that a program makes, and
// writes rules for these calls.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/shell_word.hpp"
#include "base/stopwatch.hpp"
#include "base/work_ticker.hpp"
#include "src/built_in/built_in.hpp"
#include "src/commands/command.hpp"
#include "src/commands/decide_request.hpp"
#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/decisions/leads.hpp"
#include "src/experiments/profiles/profile_decision.hpp"
#include "src/formats/interrupts.hpp"
#include "src/formats/output_file.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/profile_output.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/library_release.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace commands {

namespace {

// Returns the choices that --against names, with which the decision is compared. Returns nothing if
// the option is not given, or if the file that it names has no table for the collective.
std::optional<Rival> before_of(const DecideOptions& options, const PreparedDecision& prepared) {
  const Collective collective = prepared.decision.collective;
  if (options.against && options.nccl.given().empty() &&
      std::filesystem::exists(*options.against)) {
    for (DecisionTable& table : read_tables(*options.against)) {
      if (table.collective == collective) {
        return rival_table(*options.against, std::move(table), prepared.problem_template);
      }
    }
    return std::nullopt;
  }
  return baseline_of_against(options, prepared);
}

// Throws UserError if there are several collectives, but the format of --export (json or csv) can
// hold only one.
void refuse_many(const DecideOptions& options, const DecisionExport& exported,
                 const std::vector<Collective>& collectives) {
  if (collectives.size() > 1 && !exported.library()) {
    throw UserError(
        fmt::format("$export '{}': this format holds only one collective, but '{}' has {}; name "
                    "one, such as tutti decide {} $profile {}",
                    options.export_format->text, *options.profile, collectives.size(),
                    name(collectives.front()), shell_path(*options.profile)));
  }
}

// Returns a value for each collective: true if the exported file can have rules for it. Throws
// UserError if all values are false.
std::vector<bool> in_file_of(const DecideOptions& options, const DecisionExport& exported,
                             const std::vector<Collective>& collectives) {
  std::vector<bool> in_file(collectives.size(), true);
  if (collectives.size() == 1 || !exported.library()) {
    // If there is only one collective, and rules cannot name any of its algorithms,
    // prepare_decision() reports this.
    return in_file;
  }
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < collectives.size(); ++i) {
    in_file[i] = rules_name(exported.format, collectives[i]);
    names.push_back(name(collectives[i]));
  }
  if (std::ranges::find(in_file, true) == in_file.end()) {
    throw UserError(
        fmt::format("$export '{}': rules in this format cannot name any of tutti's algorithms for "
                    "{}, and '{}' calls no other collective",
                    options.export_format->text, fmt::join(names, ", "), *options.profile));
  }
  return in_file;
}

// A library whose built-in decisions --against names, and the format of rules for it.
struct AgainstLibrary {
  LibraryRelease release;
  RuleFormat form = RuleFormat::tutti;
};

// Returns the library of --against; nothing if the option is absent or names something else. If
// rules are exported, their format already limits the candidates.
std::optional<AgainstLibrary> library_against(const DecideOptions& options,
                                              const DecisionExport& exported) {
  if (!options.against || exported.library()) {
    return std::nullopt;
  }
  const LibraryVersion* const version = find_library_version(*options.against);
  const auto known = versions_with_decisions();
  if (version == nullptr || std::ranges::find(known, version->name) == known.end()) {
    return std::nullopt;
  }
  AgainstLibrary against{library_release_named("$against", *options.against)};
  against.form = form_written_for(against.release);
  need_ranks_per_host(options, *options.against);
  return against;
}

// Removes the collectives for which rules for the library cannot choose an algorithm, and adds a
// note about them. Throws UserError if none is left.
void leave_out_unruled(const DecideOptions& options, const AgainstLibrary& against,
                       std::vector<Collective>& collectives, std::vector<std::string>& notes) {
  std::vector<std::string_view> unruled;
  std::erase_if(collectives, [&](Collective each) {
    if (!rules_name(against.form, each)) {
      unruled.push_back(name(each));
    }
    return !rules_name(against.form, each);
  });
  const std::string text = fmt::format("rules for {} cannot choose an algorithm for {}",
                                       *options.against, fmt::join(unruled, ", "));
  if (collectives.empty()) {
    throw UserError(fmt::format("$against '{}': {}, and '{}' has no other calls", *options.against,
                                text, *options.profile));
  }
  if (!unruled.empty()) {
    notes.push_back(text + ": these calls are left out");
  }
  notes.push_back(fmt::format(
      "the candidates are the algorithms that rules for {} can choose; 'tutti decide --profile {} "
      "--library {} --ranks-per-host {} -o FOLDER' writes the rules",
      *options.against, shell_path(*options.profile), shell_word(*options.against),
      options.problem.ranks_per_host->text));
}

// Returns the indices of the decisions, those with the least work first.
std::vector<std::size_t> cheapest_first(const std::vector<PreparedDecision>& prepared) {
  std::vector<double> work;
  for (const PreparedDecision& each : prepared) {
    double blocks = 0;
    for (const std::uint32_t ranks : each.decision.ranks) {
      blocks += static_cast<double>(ranks) *
                static_cast<double>(natural_blocks(each.decision.collective, ranks));
    }
    work.push_back(blocks * static_cast<double>(each.decision.sizes_bytes.size()));
  }
  std::vector<std::size_t> order(prepared.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return work[i]; });
  return order;
}

// Prints what is decided when the work is interrupted.
void print_decided(ProfileDecision& decided, std::vector<PreparedDecision>& prepared,
                   const std::vector<bool>& is_decided, bool everything, Streams streams) {
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    if (is_decided[i] && something_runs(prepared[i].decision)) {
      find_leads(prepared[i].decision, LeadsToExplain::largest);
      decided.decisions.push_back(std::move(prepared[i].decision));
    } else if (!is_decided[i]) {
      decided.notes.push_back(fmt::format("interrupted: the calls of {} are not decided",
                                          name(prepared[i].decision.collective)));
    }
  }
  if (!decided.decisions.empty()) {
    sum_up_profile(decided);
    print_profile(decided, everything, streams.out);
    streams.out.flush();
  }
}

std::string before_in_words(const DecideOptions& options) {
  return options.against ? fmt::format("what {} chooses", *options.against)
                         : "the best single algorithm for all calls of a collective";
}

}  // namespace

void need_ranks_per_host(const DecideOptions& options, const std::string& what) {
  if (!options.problem.ranks_per_host) {
    throw UserError(fmt::format(
        "$ranks_per_host is missing: the choices of {} depend on it, and a profile does not say "
        "how many ranks shared a host; give 1 if each had its own",
        what));
  }
}

void refuse_what_profile_says(const DecideOptions& options) {
  const auto refuse = [](const auto& given, std::string_view field) {
    if (given) {
      throw UserError(
          fmt::format("{} '{}': $profile already gives the calls; leave out one of the two", field,
                      given->text));
    }
  };
  refuse(options.problem.ranks, "$ranks");
  refuse(options.problem.bytes, "$bytes");
  refuse(options.crossover, "$crossover");
}

std::vector<Collective> collectives_of(const DecideOptions& options, const Profile& profile) {
  std::vector<Collective> found;
  std::vector<std::string_view> names;
  for (const ProfileCalls& each : profile.calls) {
    if (found.empty() || found.back() != each.collective) {
      found.push_back(each.collective);
      names.push_back(name(each.collective));
    }
  }
  if (options.collective.empty() || options.collective == "all") {
    return found;
  }
  const Collective wanted = parse_collective(options.collective);
  if (std::ranges::find(found, wanted) == found.end()) {
    throw UserError(fmt::format("$profile '{}': the file has no calls to {}, only calls to {}",
                                profile.file, name(wanted), fmt::join(names, ", ")));
  }
  return {wanted};
}

void take_calls(const std::vector<ProfileCalls>& calls, bool element_bytes_given,
                DecisionRequest& request) {
  std::set<std::uint32_t> ranks;
  std::set<std::uint64_t> sizes;
  for (const ProfileCalls& each : calls) {
    ranks.insert(each.ranks);
    sizes.insert(each.bytes);
  }
  request.problems.ranks.assign(ranks.begin(), ranks.end());
  if (request.collective != Collective::barrier) {
    request.problems.bytes.assign(sizes.begin(), sizes.end());
    if (!element_bytes_given) {
      request.problems.each.element_bytes = common_element_bytes(calls);
    }
  }
  request.crossover = 0;
}

namespace {

// The decisions for the calls of a profile. The lists have an entry for each collective.
struct ProfileRun {
  std::vector<Collective> collectives;
  std::vector<bool> in_file;          // true if the exported file can have rules for the collective
  std::optional<NcclRuleSetup> nccl;  // how to decide rules of NCCL, if the file is for NCCL
  std::vector<DecisionTask> tasks;
  std::vector<PreparedDecision> prepared;
  std::vector<std::optional<Rival>> before;
  std::vector<bool> is_decided;
  ProfileDecision decided;

  // Returns the names of the collectives that are decided, or not.
  [[nodiscard]] std::string names(bool are_decided) const {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < collectives.size(); ++i) {
      if (is_decided[i] == are_decided) {
        names.push_back(name(collectives[i]));
      }
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }
};

// Prepares the decision for the collective with the index `i`.
void prepare_collective(const DecideOptions& options, const DecisionExport& exported,
                        const std::optional<AgainstLibrary>& against, const OpenedMachine& machine,
                        std::size_t i, ProfileRun& run, Streams streams) {
  const Collective collective = run.collectives[i];
  const std::vector<ProfileCalls> calls = calls_of(run.decided.profile, collective);
  if (!run.in_file[i]) {
    run.decided.notes.push_back(with_fields(fmt::format(
        "$export={}: rules in this format cannot name any of tutti's algorithms for {}, so the "
        "file leaves this collective out; its calls are decided among all of tutti's algorithms",
        options.export_format->text, name(collective))));
    if (exported.path == "-") {
      streams.messages.warning(run.decided.notes.back());
    }
  }
  const std::optional<RuleFormat> library = against          ? std::optional(against->form)
                                            : run.in_file[i] ? exported.library()
                                                             : std::nullopt;
  DecisionTask& decision = run.tasks.emplace_back(decision_task(
      options, machine, collective, library, against ? against->release.release : 0, streams));
  take_calls(calls, options.problem.element_bytes.has_value(), decision.request);
  use_machine_of_gpu(options, decision.request);
  PreparedDecision& prepared =
      run.prepared.emplace_back(prepare_decision(std::move(decision.request)));
  keep_called(prepared.decision, calls);
  const std::optional<Rival>& before = run.before.emplace_back(before_of(options, prepared));
  if (against) {
    add_baseline(prepared.decision, fmt::format("{}'s own choice", *options.against),
                 before->choose);
  }
  if (run.in_file[i]) {
    add_own_choice(options, exported, run.nccl, prepared);
  }
  if (options.against && !before) {
    run.decided.notes.push_back(
        fmt::format("{} has no table for {}: 'before' is the best single algorithm for all calls "
                    "of this collective",
                    *options.against, name(collective)));
  }
}

// Reads the profile, and prepares a decision for each of its collectives. Returns false if a
// program of the user is wrong.
bool prepare_profile(const DecideOptions& options, const DecisionExport& exported, ProfileRun& run,
                     Streams streams) {
  run.decided.profile = read_profile(*options.profile);
  run.decided.before = before_in_words(options);
  run.collectives = collectives_of(options, run.decided.profile);
  const std::optional<AgainstLibrary> against = library_against(options, exported);
  if (against) {
    leave_out_unruled(options, *against, run.collectives, run.decided.notes);
  } else if (!options.problem.ranks_per_host) {
    run.decided.notes.push_back(
        with_fields("1 rank on each host, since $ranks_per_host is not given"));
  }
  if (exported.path) {
    refuse_many(options, exported, run.collectives);
  }
  run.in_file = in_file_of(options, exported, run.collectives);
  run.is_decided.assign(run.collectives.size(), false);
  const OpenedMachine machine = open_machine(options, streams.messages);
  run.nccl = nccl_rule_setup(options, exported, machine, streams.messages);
  for (std::size_t i = 0; i < run.collectives.size(); ++i) {
    prepare_collective(options, exported, against, machine, i, run, streams);
    if (!options.contenders.no_verify && !prove_own(run.prepared.back(), streams.messages)) {
      return false;
    }
  }
  return true;
}

// Decides for each collective, those with the least work first. An interrupt ends the command, with
// the decisions until then, unless a database keeps the results by itself.
void decide_all(const DecideOptions& options, ProfileRun& run, Runner* runner, Streams streams) {
  std::optional<InterruptMessage> when_interrupted;
  if (!options.sweep.database) {
    when_interrupted.emplace(
        [&run] {
          return fmt::format(
              "; not decided: {}; {}; with $db FILE, an interrupted command goes on where it "
              "stopped",
              run.names(false),
              run.names(true).empty() ? "nothing was written" : "no file was written");
        },
        InterruptMessage::End::stops_work);
  }
  for (const std::size_t i : cheapest_first(run.prepared)) {
    Decision& decision = run.prepared[i].decision;
    const std::optional<Rival>& before = run.before[i];
    // If --against gives no choices, the decision is compared with the best single algorithm for
    // all calls. All algorithms are then simulated, because the best single algorithm for all calls
    // need not be the best at any size.
    try {
      if (run.nccl && run.in_file[i]) {
        carry_out_nccl(decision, *run.nccl, options.jobs);
      } else {
        carry_out(decision, runner, options.jobs, options.everything || !before);
      }
      if (before && something_runs(decision)) {
        decision.judgement = judge(decision, *before, runner);
      }
    } catch (const Cancellation&) {
      break;
    }
    if (interrupted() != 0) {
      break;  // processes that simulate may have received the signal, too
    }
    run.is_decided[i] = true;
  }
  if (when_interrupted && interrupted() != 0) {
    stop_requested = false;
    print_decided(run.decided, run.prepared, run.is_decided, options.everything, streams);
    when_interrupted->stop_if_interrupted();
  }
}

// Moves the decisions into `run.decided`. `explained`: of the leads.
void collect_decisions(ProfileRun& run, LeadsToExplain explained) {
  if (std::ranges::none_of(run.prepared, [](const PreparedDecision& each) {
        return something_runs(each.decision);
      })) {
    check_something_runs(run.prepared.front().decision);
  }
  for (PreparedDecision& each : run.prepared) {
    find_leads(each.decision, explained);
    run.decided.decisions.push_back(std::move(each.decision));
  }
}

// Returns the decisions with rules for the exported file. Adds a note about each other one. Throws
// UserError if there is a file to write, but no rule.
std::vector<const Decision*> decisions_to_write(const DecideOptions& options,
                                                const DecisionExport& exported, ProfileRun& run) {
  std::vector<const Decision*> to_write;
  for (std::size_t i = 0; i < run.decided.decisions.size(); ++i) {
    const Decision& each = run.decided.decisions[i];
    if (!run.in_file[i] || !something_runs(each)) {
      continue;
    }
    if (has_rules(each)) {
      to_write.push_back(&each);
    } else if (run.decided.decisions.size() == 1) {
      check_rules_remain(options, exported, each);
    } else if (exported.library()) {
      run.decided.notes.push_back(
          with_fields(fmt::format("$export={}: {}: {}", options.export_format->text,
                                  name(each.collective), why_no_rules(each))));
    }
  }
  if (exported.path && to_write.empty()) {
    throw UserError(
        fmt::format("$export '{}': nothing to write: the algorithms that rules in this format can "
                    "name cannot run the calls in '{}', or are not known to be faster",
                    options.export_format->text, *options.profile));
  }
  return to_write;
}

}  // namespace

int decide_profile(const DecideOptions& options, Streams streams) {
  const Stopwatch watch;
  refuse_what_profile_says(options);
  const DecisionExport exported = export_of(options);
  ProfileRun run;
  if (!prepare_profile(options, exported, run, streams)) {
    return kExitCheckFailed;
  }
  // Opens the output files before runner_of() creates the database. Otherwise, the database would
  // remain if an output file could not be opened.
  OptionalOutput json_file("$json", options.results.json, kJsonFile, streams.out);
  OptionalOutput csv_file("$csv", options.results.csv, kCsvFile, streams.out);
  if (exported.path && exported.csv) {
    check_ending("$output", *exported.path, kCsvFile);
  }
  OptionalOutput export_file(exported.path, streams.out);
  const auto runner =
      runner_of(options, run.prepared.front().decision, options.jobs, streams.messages);
  decide_all(options, run, runner.get(), streams);
  const bool lost = runner && runner->sum_up();
  collect_decisions(run, options.everything || json_file || export_file ? LeadsToExplain::all
                                                                        : LeadsToExplain::largest);
  const std::vector<const Decision*> to_write = decisions_to_write(options, exported, run);
  sum_up_profile(run.decided);
  run.decided.wall_s = watch.seconds();
  write_together(
      {{json_file,
        [&](std::ostream& out) { write_document(kProfileDocument, run.decided, 1, out); }},
       {csv_file, [&](std::ostream& out) { write_profile_csv(run.decided, out); }},
       {export_file, [&](std::ostream& out) { write_export(options, to_write, exported, out); }}});
  if (options.results.json != "-" && options.results.csv != "-" && exported.path != "-") {
    print_profile(run.decided, options.everything, streams.out);
    std::vector<Collective> written;
    for (const Decision* decision : to_write) {
      written.push_back(decision->collective);
    }
    print_loading(exported, written, streams.out);
  }
  return lost ? kExitCheckFailed : kExitOk;
}

}}  // namespace tutti::commands
