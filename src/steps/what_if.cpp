#include "src/steps/what_if.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "src/simulation/explain/sensitivity.hpp"
#include "src/steps/step_run.hpp"

namespace tutti { inline namespace steps {

namespace {

// Returns the run with messages so much shorter that it takes `limit_s` alone; nothing if the
// latencies of its messages take longer.
std::optional<CallRun> limited_run(const StepAnswer& answer, const StepCall& call,
                                   const CallChoice& choice, double limit_s) {
  const auto shorter = [&](double factor) {
    CallRun run = *choice.run;
    run.sent_per_byte *= factor;
    return run;
  };
  const std::vector<Rank>& members = answer.step.groups[call.group].members.front();
  // The time is nearly linear in the length of the messages.
  constexpr int kMostTrials = 8;
  constexpr double kNear = 1e-3;
  double least = 0;
  double most = 1;
  double least_s = time_alone_s(shorter(0), answer.machine, members);
  double most_s = choice.alone_s;
  for (int trial = 0; trial < kMostTrials && least_s < limit_s && most_s > limit_s; ++trial) {
    const double factor = least + (most - least) * (limit_s - least_s) / (most_s - least_s);
    const CallRun run = shorter(factor);
    const double found_s = time_alone_s(run, answer.machine, members);
    if (std::abs(found_s - limit_s) <= kNear * limit_s) {
      return run;
    }
    (found_s < limit_s ? least : most) = factor;
    (found_s < limit_s ? least_s : most_s) = found_s;
  }
  return std::nullopt;
}

class StepTrials {
 public:
  explicit StepTrials(const StepAnswer& answer) : answer_(answer) {}

  StepChanges run() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> rows_of_group;
    for (std::uint32_t row = 0; row < rows().size(); ++row) {
      if (rows()[row].call && choice_of(row).run) {
        rows_of_group[answer_.step.calls[*rows()[row].call].group].push_back(row);
        try_row(row);
      }
    }
    for (const auto& [group, of_group] : rows_of_group) {
      if (of_group.size() > 1) {
        try_group(group, of_group);
      }
    }
    try_links();
    note_gaps();
    std::ranges::stable_sort(changes_.found, {}, &StepChange::total_s);
    return std::move(changes_);
  }

 private:
  [[nodiscard]] const std::vector<StepRow>& rows() const { return answer_.account.rows; }
  [[nodiscard]] const StepCall& call_of(std::uint32_t row) const {
    return answer_.step.calls[*rows()[row].call];
  }
  [[nodiscard]] const CallChoice& choice_of(std::uint32_t row) const {
    return answer_.choices[*rows()[row].call];
  }
  [[nodiscard]] bool is_of(const StepAction& action, std::uint32_t row) const {
    return action.calls() && action.line == rows()[row].line && action.what == rows()[row].call;
  }
  [[nodiscard]] bool has_beside(std::uint32_t row) const {
    return std::ranges::any_of(answer_.step.actions, [&](const StepAction& action) {
      return is_of(action, row) && action.kind == StepAction::Kind::beside;
    });
  }

  [[nodiscard]] CallRun free_run_of(std::uint32_t row) const {
    CallRun run = *choice_of(row).run;
    run.is_free = true;
    return run;
  }

  void try_row(std::uint32_t row) {
    const CallChoice& choice = choice_of(row);
    const StepChange change{.row = row, .group = {}, .what = {}};
    with_runs(change, StepChangeKind::free, {{row, free_run_of(row)}});
    if (choice.limit_s && *choice.limit_s < choice.alone_s) {
      if (const auto run = limited_run(answer_, call_of(row), choice, *choice.limit_s)) {
        with_runs(change, StepChangeKind::limit, {{row, *run}});
      } else {
        unreached_.push_back(answer_.step.lines[rows()[row].line].number);
      }
    }
    if (choice.next) {
      StepChange other = change;
      other.what = choice.next->library.empty() ? choice.next->algorithm : choice.next->library;
      with_runs(std::move(other), StepChangeKind::next, {{row, choice.next->run}});
    }
    if (has_beside(row)) {
      blocking(change, {row});
    }
  }

  void try_group(std::uint32_t group, const std::vector<std::uint32_t>& of_group) {
    const StepChange change{.row = {}, .group = group, .what = {}};
    std::map<std::uint32_t, CallRun> runs;
    std::vector<std::uint32_t> beside;
    for (const std::uint32_t row : of_group) {
      runs[row] = free_run_of(row);
      if (has_beside(row)) {
        beside.push_back(row);
      }
    }
    with_runs(change, StepChangeKind::free, runs);
    if (beside.size() > 1) {
      blocking(change, beside);
    }
  }

  // Simulates the step with other runs for some rows.
  void with_runs(StepChange change, StepChangeKind kind,
                 const std::map<std::uint32_t, CallRun>& runs) {
    StepDescription step = answer_.step;
    std::vector<CallChoice> choices = answer_.choices;
    for (const auto& [row, run] : runs) {
      const auto call = static_cast<std::uint32_t>(step.calls.size());
      step.calls.push_back(call_of(row));
      choices.push_back(choice_of(row));
      choices.back().run = run;
      for (std::size_t i = 0; i < step.actions.size(); ++i) {
        if (is_of(answer_.step.actions[i], row)) {
          step.actions[i].what = call;
        }
      }
    }
    add(std::move(change), kind, std::move(step), answer_.machine, std::move(choices));
  }

  // Simulates the step with computing that waits for the collectives of the rows.
  void blocking(const StepChange& change, const std::vector<std::uint32_t>& waited) {
    StepDescription step = answer_.step;
    for (StepAction& action : step.actions) {
      if (std::ranges::any_of(waited, [&](std::uint32_t row) { return is_of(action, row); })) {
        action.kind = StepAction::Kind::collective;
      }
    }
    add(change, StepChangeKind::blocking, std::move(step), answer_.machine, answer_.choices);
  }

  // Simulates the step with twice the bandwidth of each class of links.
  void try_links() {
    const LinkClasses classes = link_classes(answer_.machine.machine);
    if (!classes.known) {
      changes_.not_compared.emplace_back("faster links: only SimGrid knows the platform's links");
      return;
    }
    for (const std::string& name : classes.names) {
      StepMachine machine = answer_.machine;
      for (Machine* const each : {&machine.plain, &machine.machine}) {
        each->spec.changes.links.push_back({.which = name, .bandwidth = 2, .from = ""});
      }
      add({.row = {}, .group = {}, .what = name}, StepChangeKind::links, answer_.step,
          std::move(machine), answer_.choices);
    }
  }

  void add(StepChange change, StepChangeKind kind, StepDescription step, StepMachine machine,
           std::vector<CallChoice> choices) {
    change.kind = kind;
    change.total_s =
        simulated_step(std::move(step), std::move(machine), std::move(choices)).account.total_s;
    changes_.found.push_back(std::move(change));
  }

  // Says what was not simulated.
  void note_gaps() {
    bool limit = true;
    bool next = true;
    for (std::uint32_t row = 0; row < rows().size(); ++row) {
      if (rows()[row].call && choice_of(row).run && !call_of(row).is_handover()) {
        limit = limit && choice_of(row).limit_s.has_value();
        next = next && choice_of(row).next.has_value();
      }
    }
    if (!limit) {
      changes_.not_compared.emplace_back(
          "collectives at their limits, where no limit is known for this machine");
    }
    if (!unreached_.empty()) {
      changes_.not_compared.push_back(fmt::format(
          "the limit in {} {}: no size of its algorithm's messages was found that takes "
          "just this time",
          unreached_.size() == 1 ? "line" : "lines", fmt::join(unreached_, ", ")));
    }
    if (!next) {
      changes_.not_compared.emplace_back(
          "the next algorithm: the description names the algorithm, or NCCL has no other");
    }
  }

  const StepAnswer& answer_;
  StepChanges changes_;
  std::vector<std::uint32_t> unreached_;  // lines
};

}  // namespace

std::string_view name(StepChangeKind kind) {
  constexpr std::array<std::string_view, 5> kNames{"free", "limit", "next", "blocking", "links"};
  return kNames[static_cast<std::size_t>(kind)];
}

StepChanges changes_of(const StepAnswer& answer) { return StepTrials(answer).run(); }

}}  // namespace tutti::steps
