#include <algorithm>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline experiments {

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

double Judgement::mean_loss() const {
  double sum = 0;
  for (const TableCell& cell : cells) {
    sum += cell.loss().value_or(0);
  }
  return judged() == 0 ? 0 : sum / static_cast<double>(judged());
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

}  // namespace

std::optional<double> formula_s(const Case& what) {
  const auto exact = what.algorithm->exact_s;
  return exact == nullptr ? std::nullopt : exact(what.problem, describe(*what.machine).prices);
}

Problem problem_on(const Decision& decision, std::uint32_t ranks, std::uint64_t bytes) {
  Problem problem;
  problem.collective = decision.collective;
  problem.ranks = ranks;
  problem.bytes = bytes;
  problem.element_bytes = decision.element_bytes;
  return problem;
}

Judgement judge(const Decision& decision, const Rival& rival, Runner* runner) {
  Judgement judgement{rival.name, rival.title, {}};
  std::vector<CaseRun> runs;
  std::vector<std::size_t> wanted_by;
  for (std::uint32_t r = 0; r < decision.decisions.size(); ++r) {
    for (const TimedCell& cell : decision.decisions[r].cells) {
      const auto best = cell.best();
      if (!cell.on_grid || !best) {
        continue;
      }
      TableCell judged;
      judged.rank_index = r;
      judged.bytes = cell.bytes;
      judged.best = *cell.least();
      auto [choice, run] = rival.choose(problem_on(decision, decision.ranks[r], cell.bytes));
      judged.choice = std::move(choice);
      judged.runs = run.choice;
      judged.refusal = run.refusal;
      if (run.what) {
        if (const auto known = known_time(decision, cell, *run.what, run.choice)) {
          judged.seconds = known->seconds;
          judged.below_s = known->below_s;
          judged.above_s = known->above_s;
        }
        if (!judged.seconds && decision.by != TimedBy::measured) {
          run.what->machine = &decision.machines[r];
        }
        if (!judged.seconds && decision.by == TimedBy::exact) {
          judged.seconds = formula_s(*run.what);
        } else if (!judged.seconds && decision.by != TimedBy::measured) {
          for (std::size_t k = 0; k < decision.placements(); ++k) {
            runs.push_back({*run.what, {}});
            runs.back().machine += k * decision.ranks.size();
            runs.back().ties = true;
            runs.back().wanted = Wanted::time;
            wanted_by.push_back(judgement.cells.size());
          }
        }
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

}  // namespace tutti::inline experiments
