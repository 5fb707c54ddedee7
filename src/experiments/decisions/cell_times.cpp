#include "src/experiments/decisions/cell_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "simulation/best_segment.hpp"
#include "simulation/machine.hpp"

namespace tutti {

namespace {

// Prices of the fastest route, the widest link and the fastest host: no schedule is quicker than
// that.
Prices fastest_prices(const MachineFacts& facts, const Machine& machine) {
  Prices prices = facts.prices;
  const PlatformFacts& platform = facts.facts;
  if (!machine.overrides.alpha_s) {
    prices.alpha_s = std::min(prices.alpha_s, platform.fastest_latency_s);
  }
  if (!machine.overrides.beta_s_per_byte && platform.widest_bandwidth_bytes_per_s > 0) {
    prices.beta_s_per_byte =
        std::min(prices.beta_s_per_byte, 1 / platform.widest_bandwidth_bytes_per_s);
  }
  if (!machine.overrides.gamma_s_per_byte && platform.fastest_speed_flops_per_s > 0) {
    prices.gamma_s_per_byte *= facts.facts.speed_flops_per_s / platform.fastest_speed_flops_per_s;
  }
  return prices;
}

// Formulas are of one port, and of messages between hosts.
bool formulas_hold(const Machine& machine) {
  return machine.setup.ports == 1 && machine.mapping.ranks_per_host == 1 &&
         machine.network_model == "hockney";
}

std::optional<double> closed_form_s(const Case& what, const Prices& prices) {
  const auto exact = what.algorithm->exact_s;
  return exact == nullptr ? std::nullopt : exact(what.problem, prices);
}

double predicted_s(const Algorithm& algorithm, const Problem& problem, const Prices& prices,
                   const RunSetup& setup) {
  if (setup.ports == 1 && algorithm.exact_s != nullptr) {
    if (const auto seconds = algorithm.exact_s(problem, prices)) {
      return *seconds;
    }
  }
  const Schedule schedule =
      make_schedule(algorithm, problem, setup.curves ? Detail::payload : Detail::times_only);
  return CriticalPathEngine(prices).run_total(schedule, setup).total_s;
}

// The best size, or the nearest power of two where that is about as good: tables stay short.
std::uint64_t find_segment(const Algorithm& algorithm, Problem problem, const Prices& prices,
                           const RunSetup& setup, double tolerance) {
  const BestSegment best = best_segment(algorithm, problem, prices, setup);
  if (best.bytes == 0 || best.bytes >= problem.bytes) {
    return best.bytes;
  }
  if (best.predicted_s >= best.whole_s) {
    return problem.bytes;  // uncut
  }
  const std::uint64_t below = std::bit_floor(best.bytes);
  const std::uint64_t round = best.bytes - below < 2 * below - best.bytes ? below : 2 * below;
  if (round % problem.element_bytes != 0 || round > problem.bytes || tolerance <= 0) {
    return best.bytes;
  }
  problem.segment_bytes = round;
  if (algorithm.refusal != nullptr && algorithm.refusal(problem)) {
    return best.bytes;
  }
  return predicted_s(algorithm, problem, prices, setup) <= best.predicted_s * (1 + tolerance)
             ? round
             : best.bytes;
}

}  // namespace

std::string_view name(TimedBy by) {
  switch (by) {
    case TimedBy::simulation:
      return "simulation";
    case TimedBy::exact:
      return "exact";
    case TimedBy::longest_path:
      return "longest-path";
    case TimedBy::measured:
      return "measured";
  }
  return "";
}

std::optional<std::size_t> TimedCell::best() const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i].timed() && (!found || times[i].seconds < times[*found].seconds * (1 - 1e-9))) {
      found = i;
    }
  }
  return found;
}

std::optional<std::size_t> TimedCell::second() const {
  const auto first = best();
  std::optional<std::size_t> found;
  for (std::size_t i = 0; first && i < times.size(); ++i) {
    const bool known = times[i].timed() || times[i].state == CandidateTime::State::beaten;
    if (i != *first && known && (!found || times[i].seconds < times[*found].seconds)) {
      found = i;
    }
  }
  return found;
}

CellTimer::CellTimer(const TimingSetup& setup) : setup_(setup) {
  if (setup_.by == TimedBy::measured) {
    return;
  }
  facts_.resize(setup_.machines.size());
  std::vector<std::size_t> order(facts_.size());
  std::iota(order.begin(), order.end(), 0);
  run_parallel(
      order, setup_.jobs,
      [&](std::size_t, std::size_t i) { facts_[i] = describe(setup_.machines[i]); },
      [](std::size_t) {});
}

// The problem with its segment, or why there is none.
CaseRun CellTimer::look(const TimedCell& cell, std::size_t candidate) const {
  const Candidate& way = setup_.candidates[candidate];
  const std::uint32_t ranks = setup_.ranks[cell.rank_index];
  CaseRun run = first_look(way.contender, ranks, cell.bytes);
  run.machine = &setup_.machines[cell.rank_index];
  if (!run.outcome.open()) {
    return run;
  }
  if (run.algorithm->same_as != nullptr) {
    if (const std::string_view other = run.algorithm->same_as(run.problem); !other.empty()) {
      run.outcome =
          Refusal{RefusalKind::problem,
                  sentence("{} is {} on {} ranks", run.algorithm->full_name(), other, ranks)};
      return run;
    }
  }
  if (way.powers_of_two_only && !std::has_single_bit(ranks)) {
    run.outcome = Refusal{
        RefusalKind::problem,
        fmt::format("{} is run by the library only where the number of ranks is a power of two",
                    way.choice.library_algorithm)};
    return run;
  }
  if (way.cuts && run.problem.bytes > 0) {
    try {
      run.problem.segment_bytes =
          find_segment(*run.algorithm, run.problem, facts_[cell.rank_index].prices,
                       run.machine->setup, setup_.tolerance);
      check(*run.algorithm, run.problem);
    } catch (const UserError&) {
      run.outcome = outcome_of_exception();
    }
  }
  return run;
}

void CellTimer::run_wave(const std::vector<std::pair<TimedCell*, std::size_t>>& wave,
                         std::vector<CaseRun>& runs, const std::string& doing) const {
  if (runs.empty()) {
    return;
  }
  setup_.runner->run(runs, doing, Runner::Known::so_far);
  for (std::size_t i = 0; i < wave.size(); ++i) {
    CandidateTime& time = wave[i].first->times[wave[i].second];
    const RunResult* const result = runs[i].outcome.result();
    if (result == nullptr) {
      time.state = CandidateTime::State::refused;
      time.refusal = runs[i].outcome.why_not();
      continue;
    }
    time.state = CandidateTime::State::timed;
    time.seconds = result->simulated_s;
    time.parts = result->chain;
    time.parts.ops = {};
  }
}

void CellTimer::time(std::vector<TimedCell*> cells, const std::string& doing) const {
  const std::size_t ways = setup_.candidates.size();
  std::vector<CaseRun> looks(cells.size() * ways);
  std::vector<std::size_t> order(looks.size());
  std::iota(order.begin(), order.end(), 0);
  // The search for segments takes a while where it asks the longest path: the largest first.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return setup_.ranks[cells[a / ways]->rank_index] > setup_.ranks[cells[b / ways]->rank_index];
  });
  run_parallel(
      order, setup_.jobs,
      [&](std::size_t, std::size_t i) { looks[i] = look(*cells[i / ways], i % ways); },
      [](std::size_t) {});

  std::vector<std::pair<TimedCell*, std::size_t>> first;
  std::vector<std::pair<TimedCell*, std::size_t>> rest;
  std::vector<CaseRun> first_runs;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    TimedCell& cell = *cells[c];
    const Prices& prices = facts_[cell.rank_index].prices;
    cell.times.assign(ways, {});
    std::optional<std::size_t> promising;
    double promised_s = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < ways; ++i) {
      const CaseRun& run = looks[c * ways + i];
      CandidateTime& time = cell.times[i];
      const bool open = run.outcome.open();
      time.segment_bytes = open ? run.problem.segment_bytes : 0;
      const auto exact = open ? closed_form_s(run, prices) : std::nullopt;
      if (!open) {
        time.state = CandidateTime::State::refused;
        time.refusal = run.outcome.why_not();
      } else if (setup_.by == TimedBy::exact) {
        time.state = exact ? CandidateTime::State::timed : CandidateTime::State::refused;
        time.seconds = exact.value_or(0);
        time.refusal = exact ? "" : "no closed form is known";
      } else if (exact && *exact < promised_s) {
        promising = i;
        promised_s = *exact;
      }
    }
    if (setup_.by == TimedBy::exact) {
      continue;
    }
    for (std::size_t i = 0; i < ways; ++i) {
      if (cell.times[i].state != CandidateTime::State::refused) {
        const bool now = i == promising.value_or(i);
        (now ? first : rest).emplace_back(&cell, i);
        if (now) {
          first_runs.push_back(looks[c * ways + i]);
        }
      }
    }
  }
  run_wave(first, first_runs, doing);

  std::vector<std::pair<TimedCell*, std::size_t>> second;
  std::vector<CaseRun> second_runs;
  for (const auto& [cell, way] : rest) {
    const auto at =
        static_cast<std::size_t>(std::find(cells.begin(), cells.end(), cell) - cells.begin());
    CaseRun& run = looks[at * ways + way];
    const Machine& machine = *run.machine;
    const auto best = cell->best();
    if (!setup_.everything && best && formulas_hold(machine)) {
      const auto bound = closed_form_s(run, fastest_prices(facts_[cell->rank_index], machine));
      if (bound && *bound > kBeaten * cell->times[*best].seconds) {
        cell->times[way].state = CandidateTime::State::beaten;
        cell->times[way].seconds = *bound;
        continue;
      }
    }
    second.emplace_back(cell, way);
    second_runs.push_back(std::move(run));
  }
  run_wave(second, second_runs, doing);
}

}  // namespace tutti
