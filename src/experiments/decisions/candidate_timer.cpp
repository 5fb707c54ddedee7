#include "src/experiments/decisions/candidate_timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "src/experiments/compare/tie_runs.hpp"
#include "src/experiments/decisions/fastest_prices.hpp"

namespace tutti { inline namespace experiments {

namespace {

std::optional<double> closed_form_s(const Case& what, const Prices& prices) {
  const auto exact = what.algorithm->exact_s;
  return exact == nullptr ? std::nullopt : exact(what.problem, prices);
}

bool is_same_run(const Case& a, const Case& b) {
  return a.algorithm == b.algorithm && a.problem == b.problem;
}

bool is_far_off(const TimedCell& cell, std::size_t candidate) {
  return candidate < cell.outliers.size() && cell.outliers[candidate];
}

}  // namespace

CandidateTimer::CandidateTimer(const TimingSetup& setup) : setup_(setup) {
  for (std::size_t i = 0; i < setup_.candidates.size(); ++i) {
    trials_.push_back({i, false});
    if (setup_.candidates[i].baseline) {
      baseline_ = i;
    }
  }
  for (std::size_t i = 0; i < setup_.candidates.size(); ++i) {
    if (setup_.candidates[i].cuts) {
      trials_.push_back({i, true});
    }
  }
  if (setup_.by == TimedBy::measured) {
    return;
  }
  facts_ = map_parallel(setup_.machines.size(), {.jobs = setup_.jobs},
                        [&](std::size_t i) { return describe(setup_.machines[i]); });
}

CaseRun CandidateTimer::look(const TimedCell& cell, std::size_t candidate,
                             std::optional<std::uint64_t> segment_bytes) const {
  const Candidate& way = setup_.candidates[candidate];
  const std::uint32_t ranks = setup_.ranks[cell.rank_index];
  CaseRun run = first_look(way, ranks, cell.bytes);
  run.machine = &setup_.machines[cell.rank_index];
  run.between = !cell.on_grid;
  run.wanted = ResultFields::spending;
  if (!run.outcome.open() || way.baseline) {
    return run;
  }
  if (run.algorithm->same_as != nullptr) {
    if (const std::string_view other = run.algorithm->same_as(run.problem); !other.empty()) {
      run.outcome = Refusal{
          RefusalKind::problem,
          sentence("{} is the same as {} on {} ranks", run.algorithm->full_name(), other, ranks)};
      return run;
    }
  }
  if (way.powers_of_two_only && !std::has_single_bit(ranks)) {
    run.outcome =
        Refusal{RefusalKind::problem,
                fmt::format("the library runs {} only if the number of ranks is a power of two",
                            way.choice.library_algorithm)};
    return run;
  }
  if (way.why_not) {
    if (const std::string why = way.why_not(ranks, cell.bytes); !why.empty()) {
      run.outcome = Refusal{RefusalKind::problem, why};
      return run;
    }
  }
  if (way.cuts && run.problem.bytes > 0) {
    try {
      run.problem.segment_bytes =
          segment_bytes ? (*segment_bytes == 0 ? run.problem.bytes : *segment_bytes)
                        : find_segment(*run.algorithm, run.problem, facts_[cell.rank_index].prices,
                                       run.machine->setup, setup_.round_segments);
      check(*run.algorithm, run.problem);
    } catch (const UserError&) {
      run.outcome = outcome_of_exception();
    }
  }
  return run;
}

CaseRun CandidateTimer::look_at_default(const TimedCell& cell, const Trial& trial,
                                        const CaseRun& best) const {
  CaseRun none;
  none.outcome = Refusal{RefusalKind::problem, ""};
  if (is_far_off(cell, trial.candidate) || best.algorithm == nullptr) {
    return none;
  }
  const CaseRun plain =
      first_look(setup_.candidates[trial.candidate].contender, best.problem.ranks, cell.bytes);
  if (!plain.outcome.open() || plain.problem.bytes == 0) {
    return none;
  }
  const auto segment_bytes = default_segment(*plain.algorithm, plain.problem);
  if (!segment_bytes || (best.outcome.open() && best.problem.segment_bytes == *segment_bytes)) {
    return none;
  }
  return look(cell, trial.candidate, segment_bytes);
}

std::vector<CaseRun> CandidateTimer::look_at_all(const std::vector<TimedCell*>& cells) const {
  const std::size_t trials = trials_.size();
  std::vector<CaseRun> looks(cells.size() * trials);
  const std::size_t ways = setup_.candidates.size();
  // Finding a segment size takes longest for many ranks, if longest paths must be computed.
  const auto ranks = [&](std::size_t i) {
    return static_cast<double>(setup_.ranks[cells[i / ways]->rank_index]);
  };
  for_each_parallel(cells.size() * ways, {setup_.jobs, ranks}, [&](std::size_t i) {
    const TimedCell& cell = *cells[i / ways];
    CaseRun* const of_cell = &looks[i / ways * trials];
    if (!is_far_off(cell, i % ways)) {
      of_cell[i % ways] = look(cell, i % ways);
    }
  });
  for (std::size_t c = 0; c < cells.size(); ++c) {
    for (std::size_t i = ways; i < trials; ++i) {
      looks[c * trials + i] =
          look_at_default(*cells[c], trials_[i], looks[c * trials + trials_[i].candidate]);
    }
  }
  return looks;
}

std::vector<CandidateTime> CandidateTimer::run_placed(std::vector<CaseRun>& runs,
                                                      const std::string& doing) const {
  std::vector<CandidateTime> times(runs.size());
  const double share = 1 / static_cast<double>(placements());
  for (std::size_t k = 0; k < placements(); ++k) {
    // NOLINTNEXTLINE(bugprone-use-after-move): moved in the last round
    std::vector<CaseRun> placed = k + 1 < placements() ? runs : std::move(runs);
    for (CaseRun& run : placed) {
      run.machine += k * setup_.ranks.size();
    }
    setup_.runner->run(placed, doing, Runner::KnownCases::so_far);
    for (std::size_t i = 0; i < placed.size(); ++i) {
      CandidateTime& time = times[i];
      const RunResult* const result = placed[i].outcome.result();
      const Refusal* const refusal = placed[i].outcome.refusal();
      if ((refusal != nullptr && refusal->kind == RefusalKind::given_up) ||
          (result != nullptr && result->simulated_s > placed[i].give_up_s)) {
        time.state = CandidateTime::State::beaten;
        time.seconds = placed[i].give_up_s;
        continue;
      }
      if (result == nullptr && time.state != CandidateTime::State::refused) {
        time.state = CandidateTime::State::refused;
        time.refusal = placed[i].outcome.why_not();
      }
      if (time.state == CandidateTime::State::refused) {
        continue;
      }
      time.state = CandidateTime::State::timed;
      const RangedTime ranged = result->time();
      time.seconds += share * ranged.seconds;
      time.below_s += share * ranged.below_s;
      time.above_s += share * ranged.above_s;
      time.may_tie = time.may_tie || may_tie(placed[i]);
      result->chain.spent.each(
          [&](Spending on, double seconds) { time.parts[on] += share * seconds; });
      if (placements() > 1) {
        time.placed_s.push_back(ranged.seconds);
      }
    }
  }
  return times;
}

void CandidateTimer::run_wave(Wave& wave, const std::string& doing) const {
  if (wave.runs.empty()) {
    return;
  }
  std::vector<CandidateTime> times = run_placed(wave.runs, doing);
  for (std::size_t i = 0; i < times.size(); ++i) {
    CandidateTime& time = *wave.times[i];
    if (time.timed() && !times[i].timed()) {
      // The repeated run has no time, so the candidate keeps its first time.
      time.may_tie = false;
      continue;
    }
    times[i].segment_bytes = time.segment_bytes;
    if (wave.runs_again) {  // shifted starts do not change what the run itself spends time on
      times[i].parts = time.parts;
    }
    time = std::move(times[i]);
  }
}

void CandidateTimer::run_leaders_again(const std::vector<TimedCell*>& cells,
                                       const std::vector<CaseRun>& looks) const {
  const std::size_t trials = trials_.size();
  for (;;) {
    Wave wave;
    wave.runs_again = true;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      std::vector<LeaderTime> times;
      std::vector<std::size_t> whose;
      for (std::size_t i = 0; i < trials; ++i) {
        if (const CandidateTime& time = cells[c]->times[i]; time.timed()) {
          times.push_back({time.seconds, time.may_tie});
          whose.push_back(i);
        }
      }
      std::vector<std::size_t> leaders = leaders_to_run_again(times);
      // The baseline is run again even if it is slow, since the other candidates are compared with
      // it.
      for (std::size_t i = 0; i < whose.size(); ++i) {
        const bool leads = std::find(leaders.begin(), leaders.end(), i) != leaders.end();
        if (times[i].may_tie && candidate_of(whose[i]).baseline && !leads) {
          leaders.push_back(i);
        }
      }
      for (const std::size_t leader : leaders) {
        CaseRun& run = wave.add(cells[c]->times[whose[leader]], looks[c * trials + whose[leader]]);
        run.ties = true;
        run.give_up_s = std::numeric_limits<double>::infinity();
        if (placements() == 1) {
          run.known_total_s = cells[c]->times[whose[leader]].seconds;
        }
      }
    }
    if (wave.runs.empty()) {
      return;
    }
    run_wave(wave, "trying other orders of ties");
  }
}

bool CandidateTimer::may_win(const CaseRun& run, const TimedCell& cell) const {
  const auto least = cell.least();
  if (!least || !formulas_hold(*run.machine)) {
    return true;
  }
  const auto bound = closed_form_s(run, fastest_prices(facts_[cell.rank_index], *run.machine));
  return !bound || *bound < least->seconds;
}

std::optional<std::size_t> CandidateTimer::sort_out(TimedCell& cell, const CaseRun* looks,
                                                    MessageCount& messages) const {
  std::optional<std::size_t> promising;
  double promised_s = std::numeric_limits<double>::infinity();
  cell.times.assign(trials_.size(), {});
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    const CaseRun& run = looks[i];
    CandidateTime& time = cell.times[i];
    if (is_far_off(cell, trials_[i].candidate)) {
      continue;
    }
    const bool open = run.outcome.open();
    time.segment_bytes = open && !candidate_of(i).baseline ? run.problem.segment_bytes : 0;
    const auto exact = open ? closed_form_s(run, facts_[cell.rank_index].prices) : std::nullopt;
    if (!open) {
      time.state = CandidateTime::State::refused;
      time.refusal = run.outcome.why_not();
    } else if (setup_.by == TimedBy::exact) {
      time.state = exact ? CandidateTime::State::timed : CandidateTime::State::refused;
      time.seconds = exact.value_or(0);
      time.refusal = exact ? "" : "no closed form is known";
    } else if (setup_.most_messages && messages.of(i, run) > *setup_.most_messages) {
      time.state = CandidateTime::State::too_large;
    } else if (exact && *exact < promised_s) {
      promising = i;
      promised_s = *exact;
    }
  }
  return promising;
}

void CandidateTimer::simulate(const std::vector<TimedCell*>& cells,
                              const std::vector<CaseRun>& looks,
                              const std::vector<std::optional<std::size_t>>& promising,
                              const std::string& doing) const {
  const std::size_t trials = trials_.size();
  Wave first;
  std::vector<std::pair<std::size_t, std::size_t>> rest;  // cells and trials
  for (std::size_t c = 0; c < cells.size(); ++c) {
    TimedCell& cell = *cells[c];
    const auto is_baselines_run = [&](std::size_t i) {
      return baseline_ && i != *baseline_ &&
             is_same_run(looks[c * trials + i], looks[c * trials + *baseline_]);
    };
    for (std::size_t i = 0; i < trials; ++i) {
      if (cell.times[i].state == CandidateTime::State::none &&
          !is_far_off(cell, trials_[i].candidate) && !is_baselines_run(i)) {
        if (i == promising[c].value_or(i) || candidate_of(i).baseline) {
          first.add(cell.times[i], looks[c * trials + i]);
        } else {
          rest.emplace_back(c, i);
        }
      }
    }
  }
  run_wave(first, doing);
  Wave second;
  for (const auto& [c, i] : rest) {
    TimedCell& cell = *cells[c];
    const auto best = cell.best();
    CaseRun& added = second.add(cell.times[i], looks[c * trials + i]);
    if (!setup_.everything && best && placements() == 1 && !candidate_of(i).own) {
      // With the factor 1 + 1e-9, the simulation of a candidate that takes exactly kBeaten times
      // the best time is not stopped.
      added.give_up_s = kBeaten * (1 + 1e-9) * cell.times[*best].seconds;
    }
  }
  run_wave(second, doing);
  run_leaders_again(cells, looks);
}

void CandidateTimer::take_baseline(TimedCell& cell) const {
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    CandidateTime& time = cell.times[i];
    if (time.state == CandidateTime::State::none && !is_far_off(cell, trials_[i].candidate)) {
      const std::uint64_t segment_bytes = time.segment_bytes;
      time = cell.times[*baseline_];
      time.segment_bytes = segment_bytes;
    }
  }
  const CandidateTime& time = cell.times[*baseline_];
  cell.baseline = baseline_;
  // If the time of the baseline is unknown, no other candidate is allowed, since any of them
  // might be slower than the baseline.
  cell.at_most_s = time.timed() ? time.seconds * (1 + setup_.slower_at_most) : 0;
}

void CandidateTimer::keep_faster_segments(TimedCell& cell) const {
  const std::size_t ways = setup_.candidates.size();
  for (std::size_t i = ways; i < cell.times.size(); ++i) {
    CandidateTime& own = cell.times[trials_[i].candidate];
    CandidateTime& other = cell.times[i];
    if (other.timed() ? !own.timed() || other.seconds < own.seconds * (1 - 1e-9)
                      : own.state == CandidateTime::State::refused &&
                            other.state == CandidateTime::State::beaten) {
      std::swap(own, other);
    }
    const SegmentCandidate way = cell.as_unsegmented({trials_[i].candidate, other.segment_bytes});
    // A time that may depend on ties is left out; if a rule needs it, it is found again.
    if (other.timed() && !other.may_tie && cell.recut_of(way) == nullptr) {
      SegmentTime& recut = cell.recuts.emplace_back();
      static_cast<RangedTime&>(recut) = other.time();
      recut.way = way;
      recut.state = SegmentTime::State::timed;
      recut.placed_s = other.placed_s;
    }
  }
  cell.times.resize(ways);
}

void CandidateTimer::time(std::vector<TimedCell*> cells, const std::string& doing) const {
  const std::size_t trials = trials_.size();
  const std::vector<CaseRun> looks = look_at_all(cells);
  MessageCount messages;
  std::vector<std::optional<std::size_t>> promising;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    promising.push_back(sort_out(*cells[c], &looks[c * trials], messages));
  }
  if (setup_.by != TimedBy::exact) {
    simulate(cells, looks, promising, doing);
  }
  for (std::size_t c = 0; c < cells.size(); ++c) {
    TimedCell& cell = *cells[c];
    if (baseline_) {
      take_baseline(cell);
    }
    for (std::size_t i = 0; i < trials; ++i) {
      const CaseRun& run = looks[c * trials + i];
      if (cell.times[i].state == CandidateTime::State::too_large && may_win(run, cell)) {
        cell.undecided = true;
        cell.messages_needed = std::max(cell.messages_needed, messages.of(i, run));
      }
    }
  }
  for (TimedCell* const cell : cells) {
    keep_faster_segments(*cell);
  }
}

void CandidateTimer::estimate(const std::vector<SegmentTrial>& wishes) const {
  const auto predict = [&](const TimedCell& cell,
                           const SegmentCandidate& way) -> std::optional<double> {
    const CaseRun run = look(cell, way.candidate, way.segment_bytes);
    if (!run.outcome.open()) {
      return std::nullopt;
    }
    return predicted_s(*run.algorithm, run.problem, facts_[cell.rank_index].prices,
                       run.machine->setup);
  };
  const auto estimated = [&](std::size_t i) {
    const SegmentTrial& wish = wishes[i];
    const SegmentCandidate best = wish.cell->way_of(wish.way.candidate);
    const auto own = predict(*wish.cell, wish.way);
    const auto at_best = own ? predict(*wish.cell, best) : std::nullopt;
    SegmentTime time;
    time.way = wish.way;
    if (!own || !at_best || *at_best <= 0) {
      time.state = SegmentTime::State::refused;
    } else if (setup_.by == TimedBy::exact) {
      time.state = SegmentTime::State::timed;
      time.seconds = *own;
    } else {
      time.seconds = wish.cell->times[best.candidate].seconds * *own / *at_best;
    }
    return time;
  };
  const std::vector<SegmentTime> found =
      map_parallel(wishes.size(), {.jobs = setup_.jobs}, estimated);
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    wishes[i].cell->recuts.push_back(found[i]);
  }
}

void CandidateTimer::recut(const std::vector<SegmentTrial>& wishes,
                           const std::string& doing) const {
  std::vector<CaseRun> runs;
  runs.reserve(wishes.size());
  for (const SegmentTrial& wish : wishes) {
    runs.push_back(look(*wish.cell, wish.way.candidate, wish.way.segment_bytes));
    runs.back().ties = true;  // check ties, because rules depend on this time
    runs.back().wanted = ResultFields::time;
  }
  const std::vector<CandidateTime> times = run_placed(runs, doing);
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    SegmentTime& recut = *wishes[i].cell->recut_of(wishes[i].way);
    recut.state = times[i].timed() ? SegmentTime::State::timed : SegmentTime::State::refused;
    static_cast<RangedTime&>(recut) = times[i].timed() ? times[i].time() : RangedTime();
    recut.placed_s = times[i].placed_s;
  }
}

}}  // namespace tutti::experiments
