#include <fmt/format.h>

#include <algorithm>

#include "src/experiments/decisions/decision.hpp"

namespace tutti { inline namespace experiments {

std::optional<double> TableCell::loss() const {
  if (!seconds) {
    return std::nullopt;
  }
  return best.seconds > 0 && !level_within_ties(time(), best) ? *seconds / best.seconds - 1 : 0;
}

std::size_t Judgement::judged() const {
  return static_cast<std::size_t>(std::count_if(
      cells.begin(), cells.end(), [](const TableCell& cell) { return cell.loss().has_value(); }));
}

std::optional<double> Judgement::mean_loss() const {
  double sum = 0;
  for (const TableCell& cell : cells) {
    sum += cell.loss().value_or(0);
  }
  return judged() == 0 ? std::nullopt : std::optional(sum / static_cast<double>(judged()));
}

const TableCell* Judgement::worst() const {
  const auto found =
      std::max_element(cells.begin(), cells.end(), [](const TableCell& a, const TableCell& b) {
        return a.loss().value_or(-1) < b.loss().value_or(-1);
      });
  return found == cells.end() || !found->loss() ? nullptr : &*found;
}

namespace {

// Returns the time of `what` if a candidate with the same algorithm and problem was timed in
// `cell`, so that `what` need not be run.
std::optional<RangedTime> known_time(const Decision& decision, const TimedCell& cell,
                                     const Case& what, const Choice& choice) {
  for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
    const Candidate& candidate = decision.candidates[i];
    if (candidate.contender.algorithm == nullptr && !candidate.baseline) {
      continue;
    }
    if (candidate.baseline) {
      const Case run = candidate.baseline(what.problem.ranks, cell.bytes);
      if (cell.times[i].timed() && run.algorithm == what.algorithm && run.problem == what.problem) {
        return cell.times[i].time();
      }
      continue;
    }
    if (candidate.contender.algorithm != what.algorithm ||
        candidate.choice.options.values() != choice.options.values() ||
        candidate.choice.default_segments != choice.default_segments) {
      continue;
    }
    const bool takes_segment = takes(*what.algorithm, Option::segment);
    const auto known = cell.timed_time_of(
        {i, takes_segment ? choice.segment_bytes : cell.way_of(i).segment_bytes});
    if (known) {
      return known;
    }
  }
  return std::nullopt;
}

// Says why the time of a choice that can run is unknown, if nothing is simulated.
std::string why_untimed(const Decision& decision) {
  return decision.by == TimedBy::measured
             ? fmt::format("'{}' has no run of it", decision.measured_file)
             : "it has no closed form; $by=simulation times it";
}

}  // namespace

std::optional<double> formula_s(const Case& what) {
  const auto exact = what.algorithm->exact_s;
  return exact == nullptr ? std::nullopt : exact(what.problem, describe(*what.machine).prices);
}

namespace {

// Asks the rival for its choice in `cell`. If the time of what runs is unknown and can be
// simulated, sets `to_run`.
TableCell table_cell_for(const Decision& decision, const Rival& rival, std::uint32_t rank_index,
                         const TimedCell& cell, std::optional<Case>& to_run) {
  TableCell judged;
  judged.rank_index = rank_index;
  judged.bytes = cell.bytes;
  judged.best = *cell.least();
  auto [choice, run] = rival.choose(problem_on(decision, decision.ranks[rank_index], cell.bytes));
  judged.choice = std::move(choice);
  judged.runs = run.choice;
  judged.refusal = run.refusal;
  if (!run.what) {
    return judged;
  }
  if (const auto known = known_time(decision, cell, *run.what, run.choice)) {
    judged.seconds = known->seconds;
    judged.below_s = known->below_s;
    judged.above_s = known->above_s;
    return judged;
  }
  if (decision.by != TimedBy::measured) {
    run.what->machine = &decision.machines[rank_index];
  }
  if (decision.by == TimedBy::exact) {
    judged.seconds = formula_s(*run.what);
  } else if (decision.by != TimedBy::measured) {
    to_run = std::move(run.what);
    return judged;
  }
  if (!judged.seconds && judged.refusal.empty()) {
    judged.refusal = why_untimed(decision);
  }
  return judged;
}

}  // namespace

Problem problem_on(const Decision& decision, std::uint32_t ranks, std::uint64_t bytes) {
  Problem problem;
  problem.collective = decision.collective;
  problem.ranks = ranks;
  problem.bytes = bytes;
  problem.element_bytes = decision.element_bytes;
  return problem;
}

void add_baseline(Decision& decision, std::string label,
                  std::function<RivalChoice(const Problem&)> choose) {
  Candidate baseline;
  baseline.choice = choice_left_to_library();
  baseline.choice.library_algorithm = label;
  baseline.contender.label = std::move(label);
  baseline.baseline = [choose = std::move(choose), any = problem_on(decision, 1, 0)](
                          std::uint32_t ranks, std::uint64_t bytes) {
    CaseRun run;
    run.problem = any;
    run.problem.ranks = ranks;
    run.problem.bytes = bytes;
    RivalChoice chosen = choose(run.problem);
    if (chosen.run.what) {
      static_cast<Case&>(run) = std::move(*chosen.run.what);
    } else {
      run.outcome = Refusal{RefusalKind::problem, chosen.run.refusal};
    }
    return run;
  };
  // The baseline is inserted at the front, because the first of several equal candidates is chosen.
  decision.candidates.insert(decision.candidates.begin(), std::move(baseline));
}

void take_baseline_times(Decision& decision) {
  const auto found = std::ranges::find_if(
      decision.candidates, [](const Candidate& each) { return each.baseline != nullptr; });
  if (found == decision.candidates.end()) {
    return;
  }
  const auto baseline = static_cast<std::size_t>(found - decision.candidates.begin());
  for (RankDecision& each : decision.decisions) {
    for (TimedCell& cell : each.cells) {
      const CaseRun own = found->baseline(each.ranks, cell.bytes);
      CandidateTime& time = cell.times[baseline];
      time.state = CandidateTime::State::refused;
      time.refusal = own.outcome.open() ? why_untimed(decision) : own.outcome.why_not();
      for (std::size_t i = 0; i < decision.candidates.size() && own.outcome.open(); ++i) {
        const Candidate& candidate = decision.candidates[i];
        if (candidate.contender.algorithm == own.algorithm && cell.times[i].timed() &&
            first_look(candidate, each.ranks, cell.bytes).problem == own.problem) {
          time = cell.times[i];
          time.segment_bytes = 0;
        }
      }
      cell.baseline = baseline;
      cell.at_most_s = time.timed() ? time.seconds * (1 + decision.limits.tolerance) : 0;
    }
  }
}

Judgement judge(const Decision& decision, const Rival& rival, Runner* runner) {
  Judgement judgement{rival.name, rival.title, rival.before, rival.runs_nccl, {}};
  std::vector<CaseRun> runs;
  std::vector<std::size_t> wanted_by;
  for (std::uint32_t r = 0; r < decision.decisions.size(); ++r) {
    for (const TimedCell& cell : decision.decisions[r].cells) {
      if (!cell.on_grid || !cell.best()) {
        continue;
      }
      std::optional<Case> to_run;
      TableCell judged = table_cell_for(decision, rival, r, cell, to_run);
      for (std::size_t k = 0; to_run && k < decision.placements(); ++k) {
        runs.push_back({*to_run, {}});
        runs.back().machine += k * decision.ranks.size();
        runs.back().ties = true;
        runs.back().wanted = ResultFields::time;
        wanted_by.push_back(judgement.cells.size());
      }
      judgement.cells.push_back(std::move(judged));
    }
  }
  if (!runs.empty()) {
    runner->run(runs, "judging");
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    TableCell& cell = judgement.cells[wanted_by[i]];
    if (const RunResult* const result = runs[i].outcome.result()) {
      const RangedTime time = result->time();
      const auto placements = static_cast<double>(decision.placements());
      cell.seconds = cell.seconds.value_or(0) + time.seconds / placements;
      cell.below_s += time.below_s / placements;
      cell.above_s += time.above_s / placements;
    } else if (cell.refusal.empty()) {
      cell.refusal = runs[i].outcome.why_not();
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].outcome.result() == nullptr) {
      // A mean over only some of the placements would be wrong.
      judgement.cells[wanted_by[i]].seconds.reset();
    }
  }
  return judgement;
}

}}  // namespace tutti::experiments
