#include "src/experiments/ran/rules_ran.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/text_lines.hpp"
#include "src/built_in/built_in.hpp"
#include "src/built_in/open_mpi/han.hpp"
#include "src/built_in/open_mpi/on_communicator.hpp"
#include "src/formats/call_size.hpp"
#include "src/rule_files/mpich/names.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Components of Open MPI that run a blocking collective by calling the component below them.
constexpr std::array<std::string_view, 5> kForwards{"monitoring", "sync", "cuda", "accelerator",
                                                    "interlib"};
constexpr std::string_view kTuned = "tuned";
constexpr std::string_view kHan = "han";
constexpr std::string_view kOpenMpiPrintsNoChoices =
    "Open MPI prints its choices only from 6 on (--mca coll_tuned_verbose 25); add a profile of "
    "the program's calls: $ran calls.csv";

// True if the component of Open MPI runs some blocking calls of the collective, if coll/tuned has
// loaded the rules `tuned`. Returns nothing if tutti does not know the component.
std::optional<bool> component_has(std::string_view component, Collective collective, int release,
                                  std::span<const DecisionTable> tuned) {
  using enum Collective;
  if (component == kTuned) {
    return tuned_has(collective, tuned);
  }
  if (component == kHan) {
    return han_has(collective, release);
  }
  if (component == "libnbc") {
    return false;
  }
  if (component == "basic" || component == "self" || component == "inter") {
    return true;
  }
  if (component == "sm" || component == "xhc") {
    return collective == bcast || collective == reduce || collective == allreduce ||
           collective == barrier;
  }
  if (component == "adapt") {
    return collective == bcast || collective == reduce;
  }
  return std::nullopt;
}

// The component that runs a collective on a communicator.
struct Decider {
  std::string component;  // empty if it is not known
  int priority = 0;
  std::string why;  // if it is not known: the reason

  [[nodiscard]] std::string in_words() const {
    return fmt::format("coll/{} (priority {})", component, priority);
  }
  friend bool operator==(const Decider&, const Decider&) = default;
};

class OpenMpiRun {
 public:
  OpenMpiRun(const RunLog& log, std::span<const DecisionTable> han, int release)
      : log_(log), han_(han), release_(release) {}

  // Sets the rules that coll/tuned loaded, or may have loaded.
  void set_loaded(std::span<const DecisionTable> tuned) { tuned_ = tuned; }

  [[nodiscard]] Decider decider_on(const ObservedCommunicator& on, Collective collective,
                                   std::uint32_t ranks, std::uint64_t bytes) const {
    for (auto each = on.components.rbegin(); each != on.components.rend(); ++each) {
      if (std::ranges::find(kForwards, each->name) != kForwards.end()) {
        continue;
      }
      const auto has = component_has(each->name, collective, release_, tuned_);
      if (!has) {
        return {"", 0,
                fmt::format("tutti does not know which collectives coll/{} runs", each->name)};
      }
      if (!*has || (each->name == kHan && han_passes_on(on, collective, ranks, bytes))) {
        continue;
      }
      return {each->name, each->priority, ""};
    }
    return {"", 0, "no component of the log runs it"};
  }

  // Returns the component that runs calls on `ranks` ranks.
  [[nodiscard]] Decider decider(const ObservedCalls& call) const {
    if (log_.communicators.empty()) {
      return {
          "", 0,
          "the log does not show which component ran them; run with --mca coll_base_verbose 10"};
    }
    std::vector<const ObservedCommunicator*> fitting;
    for (const ObservedCommunicator& each : log_.communicators) {
      if (each.ranks == call.ranks) {
        fitting.push_back(&each);
      }
    }
    if (fitting.empty()) {
      for (const ObservedCommunicator& each : log_.communicators) {
        if (each.ranks == 0) {
          fitting.push_back(&each);
        }
      }
    }
    std::optional<Decider> found;
    for (const ObservedCommunicator* each : fitting) {
      const Decider one = decider_on(*each, call.collective, call.ranks, call.bytes);
      if (found && *found != one) {
        return {"", 0, "different components run it on the communicators of the log"};
      }
      found = one;
    }
    return found.value_or(Decider{
        "", 0, fmt::format("the log has no communicator of {}", counted(call.ranks, "rank"))});
  }

  [[nodiscard]] std::string setting(const std::string& name) const {
    const auto found = log_.settings.find(name);
    return found == log_.settings.end() ? "" : found->second;
  }
  [[nodiscard]] bool is_on(const std::string& name) const {
    const std::string value = setting(name);
    return value == "true" || value == "1" || value == "enabled" || value == "yes";
  }

 private:
  [[nodiscard]] bool han_passes_on(const ObservedCommunicator& on, Collective collective,
                                   std::uint32_t ranks, std::uint64_t bytes) const {
    if (on.ranks > 0 && (on.most_on_host == 1 || (!on.even && han_wants_even_nodes(collective)))) {
      return true;
    }
    const auto table = std::ranges::find(han_, collective, &DecisionTable::collective);
    if (table == han_.end() || !is_on("coll_han_use_dynamic_file_rules")) {
      return false;
    }
    const auto chosen = look_up(*table, ranks, bytes, 1);
    return chosen && chosen->choice->library_algorithm == kTuned;
  }

  const RunLog& log_;
  std::span<const DecisionTable> han_;
  std::span<const DecisionTable> tuned_;
  int release_;
};

std::string calls_in_words(const ObservedCalls& call) {
  const std::string size =
      call.collective == Collective::barrier
          ? ""
          : fmt::format("{}", call_size(call.collective, call.bytes, std::max(call.ranks, 1U)));
  return call.ranks == 0
             ? size
             : fmt::format("{}{}{}", counted(call.ranks, "rank"), size.empty() ? "" : ", ", size);
}

void add(std::vector<CallsAndWhy>& to, double calls, const std::string& why) {
  const auto found = std::ranges::find(to, why, &CallsAndWhy::why);
  if (found != to.end()) {
    found->calls += calls;
  } else {
    to.push_back({calls, why});
  }
}

class RulesInRun {
 public:
  RulesInRun(const std::string& path, std::string_view text, const RuleFile& file,
             std::span<const DecisionTable> han, const RunLog& log,
             const std::optional<LibraryRelease>& release)
      : path_(path),
        text_(text),
        file_(file),
        log_(log),
        release_(release),
        run_(log, han, release ? release->release : 0) {}

  RuleUses made() {
    for (const DecisionTable& table : file_.tables) {
      list(table.collective, table.measure, table.rules, "");
    }
    const std::string_view family = rule_form(file_.format).family;
    if (family == "Open MPI") {
      open_mpi();
    } else if (family == "MPICH") {
      mpich();
    } else {
      nccl();
    }
    for (const std::string& each : log_.assumed) {
      ran_.notes.push_back(each);
    }
    return std::move(ran_);
  }

 private:
  void list(Collective collective, SizeMeasure measure, const std::vector<Rule>& rules,
            const std::string& around) {
    for (const Rule& rule : rules) {
      std::string when = around;
      if (rule.conditional()) {
        when += fmt::format("{}{}", around.empty() ? "" : ", ", conditions_in_words(rule, measure));
      }
      if (rule.choice) {
        rule_of_[&rule] = ran_.rules.size();
        RuleUse made;
        made.collective = collective;
        made.line = rule.line;
        made.conditions = when.empty() ? "always" : when;
        made.choice = *rule.choice;
        ran_.rules.push_back(std::move(made));
      } else {
        list(collective, measure, rule.then, when);
      }
    }
  }

  // Returns the rule that holds for the calls; null if none does. Counts these calls.
  RuleUse* rule_for(const ObservedCalls& call, const std::string& what_ran) {
    const auto table = std::ranges::find(file_.tables, call.collective, &DecisionTable::collective);
    if (table == file_.tables.end()) {
      return nullptr;
    }
    const auto nodes = call.nodes > 0 ? std::optional(call.nodes) : std::nullopt;
    const auto chosen = look_up(*table, call.ranks, call.bytes, 1, nodes);
    if (!nodes && !nodes_that_decide(*table, call.ranks, call.bytes, 1).empty()) {
      add_unknown(call, *table, "nodes", what_ran);
      return nullptr;
    }
    if (!chosen) {
      ran_.without_rule.push_back(
          {call.collective, call.calls, fmt::format("{}{}", calls_in_words(call), what_ran)});
      return nullptr;
    }
    return &ran_.rules.at(rule_of_.at(chosen->path.back()));
  }

  // Adds calls, of which the run does not show the number of ranks or of nodes, to each rule that
  // may have been used: up to the first rule that holds on any number. `what`: "ranks" or "nodes".
  void add_unknown(const ObservedCalls& call, const DecisionTable& table, std::string_view what,
                   const std::string& how) {
    const std::string why =
        fmt::format("{}: the number of {} is not known{}", calls_in_words(call), what, how);
    bool any = false;
    const auto look = [&](const auto& self, const std::vector<Rule>& rules) -> bool {
      for (const Rule& rule : rules) {
        if (!may_hold(rule, call, table)) {
          continue;
        }
        if (rule.choice) {
          any = true;
          add(ran_.rules.at(rule_of_.at(&rule)).unknown, call.calls, why);
        } else if (!self(self, rule.then)) {
          continue;
        }
        if (!rule.ranks_from && !rule.ranks_below && !rule.ranks_power_of_two && !rule.nodes) {
          return true;
        }
      }
      return false;
    };
    look(look, table.rules);
    if (!any) {
      ran_.without_rule.push_back({call.collective, call.calls, why});
    }
  }

  // True if the rule holds for the calls on some number of ranks that they may have.
  static bool may_hold(const Rule& rule, const ObservedCalls& call, const DecisionTable& table) {
    if (call.ranks > 0) {
      Rule on_any_nodes = rule;
      on_any_nodes.nodes.reset();
      DecisionTable alone;
      alone.measure = table.measure;
      on_any_nodes.then.clear();
      on_any_nodes.choice.emplace();
      alone.rules = {on_any_nodes};
      return look_up(alone, call.ranks, call.bytes, 1).has_value();
    }
    // Without the number of ranks, a size is certain only if it is that of the whole vector.
    const bool whole =
        table.measure == SizeMeasure::vector && call.collective != Collective::allgather &&
        call.collective != Collective::allgatherv && call.collective != Collective::reduce_scatter;
    return !whole || (call.bytes >= rule.bytes_from.value_or(0) &&
                      (!rule.bytes_below || call.bytes < *rule.bytes_below));
  }

  // Adds calls whose number of ranks is not known; `why` says what the log lacks.
  void add_on_any_ranks(const ObservedCalls& call, const std::string& why) {
    const auto table = std::ranges::find(file_.tables, call.collective, &DecisionTable::collective);
    if (table != file_.tables.end()) {
      add_unknown(call, *table, "ranks", why);
    }
  }

  // Returns why coll/tuned did not load the file, or why that is not known. The second value is
  // true if it is known that it did not.
  [[nodiscard]] std::pair<std::string, bool> not_loaded() const {
    if (file_.rejected || file_.first_misread() != nullptr) {
      return {"Open MPI ignores the file, which has errors", file_.rejected};
    }
    if (log_.settings.empty()) {
      return {
          "the log does not show whether the file was loaded; run with --mca "
          "mpi_show_mca_params all",
          false};
    }
    if (!run_.is_on("coll_tuned_use_dynamic_rules")) {
      return {"coll_tuned_use_dynamic_rules is off", true};
    }
    const std::string loaded = run_.setting("coll_tuned_dynamic_rules_filename");
    if (std::filesystem::path(loaded).filename() != std::filesystem::path(path_).filename()) {
      return {loaded.empty() ? "no rule file was loaded"
                             : fmt::format("the run loaded another file, '{}'", loaded),
              true};
    }
    return {"", false};
  }

  // Returns what coll/base runs instead of a rule's algorithm; empty if it runs this algorithm.
  [[nodiscard]] std::string substitute(const ObservedCalls& call) const {
    CommunicatorCall tuned_call;
    tuned_call.release = release_->release;
    tuned_call.collective = call.collective;
    tuned_call.ranks = call.ranks;
    tuned_call.bytes = call.bytes;
    tuned_call.rules = file_.tables;
    const LibraryDecision decision = tuned_decision(tuned_call);
    const LibraryLevel& last = decision.path.back();
    return last.decided_by == "coll/base"
               ? fmt::format("coll/base ran {}: {}", last.chosen, last.because)
               : "";
  }

  void open_mpi() {
    const auto [why_not_loaded, surely] = not_loaded();
    if (!surely) {
      run_.set_loaded(file_.tables);
    }
    const bool prints_calls = std::ranges::any_of(
        log_.calls, [](const ObservedCalls& call) { return call.algorithm == kLookedUp; });
    for (const ObservedCalls& call : log_.calls) {
      if (call.ranks == 0) {
        add_on_any_ranks(call, ", because the program has several communicators");
        continue;
      }
      const bool looked_up = call.algorithm == kLookedUp;
      const Decider decider = looked_up ? Decider{std::string(kTuned), 0, ""} : run_.decider(call);
      if (prints_calls && !looked_up && decider.component == kTuned) {
        continue;  // coll/tuned itself says for which calls it looked up the rules
      }
      RuleUse* const rule = rule_for(call, "");
      if (rule == nullptr) {
        continue;
      }
      if (looked_up) {
        if (const std::string instead = substitute(call); !instead.empty()) {
          add(rule->others, call.calls, instead);
        } else {
          rule->used += call.calls;
        }
      } else if (decider.component.empty()) {
        add(rule->unknown, call.calls, decider.why);
      } else if (decider.component == kHan) {
        add(rule->others, call.calls,
            fmt::format("{} ran them; it looks up rules only for parts of the ranks",
                        decider.in_words()));
      } else if (decider.component != kTuned) {
        add(rule->others, call.calls, fmt::format("{} ran them", decider.in_words()));
      } else if (!why_not_loaded.empty()) {
        add(surely ? rule->others : rule->unknown, call.calls, why_not_loaded);
      } else if (const std::string instead = substitute(call); !instead.empty()) {
        add(rule->others, call.calls, instead);
      } else {
        rule->used += call.calls;
      }
    }
    if (!log_.communicators.empty()) {
      say_components();
    }
    if (log_.calls.empty()) {
      for (RuleUse& each : ran_.rules) {
        each.why_unknown = kOpenMpiPrintsNoChoices;
      }
    }
  }

  void say_components() {
    for (const ObservedCommunicator& each : log_.communicators) {
      std::map<std::string, std::vector<std::string_view>> by_component;
      for (const DecisionTable& table : file_.tables) {
        const Decider decider =
            run_.decider_on(each, table.collective, std::max(each.ranks, 2U), 1);
        by_component[decider.component.empty() ? decider.why : decider.in_words()].push_back(
            name(table.collective));
      }
      std::string text = each.ranks == 0
                             ? each.name
                             : fmt::format("{} ({} on {})", each.name, counted(each.ranks, "rank"),
                                           counted(each.hosts, "host"));
      for (const auto& [component, collectives] : by_component) {
        text += fmt::format("{} {} for {}", &component == &by_component.begin()->first ? ":" : ";",
                            component, fmt::join(collectives, ", "));
      }
      ran_.notes.push_back(std::move(text));
    }
  }

  void mpich() {
    if (log_.counters.empty()) {
      for (RuleUse& each : ran_.rules) {
        each.why_unknown =
            "MPICH prints its choices only from 5.1 on (MPIR_CVAR_DUMP_COLL_ALGO_COUNTERS=0)";
      }
      for (const ObservedCalls& call : log_.calls) {
        if (RuleUse* const rule = rule_for(call, "")) {
          add(rule->unknown, call.calls, "they meet the conditions");
        }
      }
      return;
    }
    ran_.by_counters = true;
    // The tables leave out rules for unusual calls, such as operators that do not commute, but the
    // counters include such calls: the lines are those of the text.
    const std::map<std::string, std::vector<std::size_t>> lines = lines_of_algorithms();
    for (RuleUse& each : ran_.rules) {
      const std::string& algorithm = each.choice.library_algorithm;
      const auto found = log_.counters.find(algorithm);
      const double count = found == log_.counters.end() ? 0 : found->second;
      const auto named = lines.find(algorithm);
      if (count == 0 || (named != lines.end() && named->second.size() == 1)) {
        each.used = count;
      } else {
        each.why_unknown = fmt::format(
            "{} ran {}, for all lines that name it: {}", algorithm, times(count),
            named == lines.end() ? "none" : fmt::format("{}", fmt::join(named->second, ", ")));
      }
    }
    for (const auto& [algorithm, count] : log_.counters) {
      const auto collective = collective_of_algorithm(algorithm);
      if (collective && !lines.contains(algorithm)) {
        ran_.without_rule.push_back(
            {*collective, count, fmt::format("{}, which no rule names", algorithm)});
      }
    }
    if (!log_.calls.empty()) {
      ran_.notes.emplace_back("the profile is not used, because counters do not tell calls apart");
    }
    ran_.notes.emplace_back(
        "the counters are those of one rank, and include the parts of calls that MPICH composes");
  }

  // Returns the collective of the file to which an algorithm belongs: bcast for
  // MPIR_Bcast_intra_binomial.
  [[nodiscard]] std::optional<Collective> collective_of_algorithm(
      std::string_view algorithm) const {
    for (const DecisionTable& table : file_.tables) {
      if (algorithm.starts_with(fmt::format("MPIR_{}_", mpich_name(name(table.collective)))) ||
          algorithm.starts_with(fmt::format("MPIDI_POSIX_mpi_{}_", name(table.collective)))) {
        return table.collective;
      }
    }
    return std::nullopt;
  }

  static std::string times(double count) {
    return count == 1 ? "once" : fmt::format("{:.6g} times", count);
  }

  // Returns the lines of the file that name each algorithm of MPICH.
  [[nodiscard]] std::map<std::string, std::vector<std::size_t>> lines_of_algorithms() const {
    constexpr std::string_view kAlgorithm = "\"algorithm=";
    std::map<std::string, std::vector<std::size_t>> lines;
    std::size_t number = 0;
    for (const std::string_view line : split(text_, '\n')) {
      ++number;
      for (std::size_t at = line.find(kAlgorithm); at != line.npos;
           at = line.find(kAlgorithm, at + 1)) {
        const std::string_view rest = line.substr(at + kAlgorithm.size());
        lines[std::string(trimmed(rest.substr(0, rest.find('"'))))].push_back(number);
      }
    }
    return lines;
  }

  void nccl() {
    for (const ObservedCalls& call : log_.calls) {
      const std::string ran = fmt::format("{}/{}", call.algorithm, call.protocol);
      const std::string_view library = rule_form(file_.format).family;
      if (call.ranks == 0) {
        nccl_on_any_ranks(call, ran);
        continue;
      }
      RuleUse* const rule =
          rule_for(call, call.algorithm.empty() ? "" : fmt::format(": {} ran {}", library, ran));
      if (rule != nullptr) {
        add_nccl(*rule, call, ran);
      }
    }
    // RCCL's tuner is built in, and prints no such line.
    if (!log_.tuner_applied && file_.format == RuleFormat::nccl) {
      ran_.notes.emplace_back(
          "no line of the log says that a tuner applied rules: if NCCL ran what a rule names, this "
          "may be NCCL's own choice. Check NCCL_TUNER_PLUGIN and NCCL_TUNER_CONFIG_FILE");
    }
  }

  // Adds calls of a log without the lines that tell the number of ranks. If the first rule for
  // their size holds on any number of ranks, it is known that they met its conditions.
  void nccl_on_any_ranks(const ObservedCalls& call, const std::string& ran) {
    const auto table = std::ranges::find(file_.tables, call.collective, &DecisionTable::collective);
    if (table == file_.tables.end()) {
      return;
    }
    const auto first = std::ranges::find_if(
        table->rules, [&](const Rule& rule) { return may_hold(rule, call, *table); });
    // NCCL prints the size of a block for allgather and reduce_scatter.
    const bool whole =
        call.collective != Collective::allgather && call.collective != Collective::reduce_scatter;
    if (first != table->rules.end() && !first->ranks_from && !first->ranks_below && !first->nodes &&
        (whole || (!first->bytes_from && !first->bytes_below))) {
      add_nccl(ran_.rules.at(rule_of_.at(&*first)), call, ran);
      return;
    }
    add_on_any_ranks(call,
                     fmt::format("; the log lacks the lines that NCCL_DEBUG_SUBSYS=INIT,TUNING "
                                 "prints at its start{}",
                                 call.algorithm.empty() ? "" : ": NCCL ran " + ran));
  }

  // Counts calls that meet the conditions of a rule. `ran`: what the library ran.
  void add_nccl(RuleUse& rule, const ObservedCalls& call, const std::string& ran) {
    const std::string_view library = rule_form(file_.format).family;
    if (call.algorithm.empty()) {
      add(rule.unknown, call.calls, fmt::format("a profile does not say what {} ran", library));
    } else if (nccl_name(rule) == ran) {
      rule.used += call.calls;
    } else {
      add(rule.others, call.calls, fmt::format("{} ran {}", library, ran));
    }
  }

  // Returns the algorithm and the protocol of a rule, "ring/ll", as the library reads them.
  static std::string nccl_name(const RuleUse& rule) {
    return fmt::format("{}/{}", rule.choice.library_algorithm, rule.choice.protocol);
  }

  const std::string& path_;
  std::string_view text_;
  const RuleFile& file_;
  const RunLog& log_;
  const std::optional<LibraryRelease>& release_;
  OpenMpiRun run_;
  RuleUses ran_;
  std::map<const Rule*, std::size_t> rule_of_;
};

}  // namespace

bool run_shows(RuleFormat format) {
  return !rule_form(format).family.empty() && format != RuleFormat::han &&
         format != RuleFormat::mpich_ch4 && format != RuleFormat::ucc;  // no reader of UCC's output
}

RuleUses rules_ran(const std::string& path, std::string_view text, const RuleFile& file,
                   std::span<const DecisionTable> han, const RunLog& log,
                   const std::optional<LibraryRelease>& release) {
  TUTTI_INVARIANT(run_shows(file.format));
  const std::string_view family = rule_form(file.format).family;
  // RCCL prints NCCL's lines.
  const bool is_rccl = file.format == RuleFormat::rccl && log.family == "NCCL";
  if (!log.family.empty() && log.family != family && !is_rccl) {
    throw UserError(fmt::format("$ran: the log is of {}, but '{}' has {}", log.family, path,
                                description(file.format)));
  }
  if (family == "Open MPI" && !release) {
    throw UserError(
        "$ran needs $library, such as \"Open MPI 4.1.4\": the components of releases differ");
  }
  return RulesInRun(path, text, file, han, log, release).made();
}

}}  // namespace tutti::experiments
