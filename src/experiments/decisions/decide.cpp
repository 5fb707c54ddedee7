#include "src/experiments/decisions/decide.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"

namespace tutti::inline experiments {

namespace {

// Rounds `count` up to two significant digits, because counts of messages are estimates.
std::uint64_t rounded_up(std::uint64_t count) {
  std::uint64_t unit = 1;
  while (count / unit >= 100) {
    unit *= 10;
  }
  return (count + unit - 1) / unit * unit;
}

// Finds the first number of ranks for which a candidate that is too large to be simulated might be
// the best. Removes this number of ranks, all larger ones, and their machines. Returns true if
// there is such a number.
bool leave_out_undecided(Decision& decision) {
  const auto first = std::ranges::find_if(decision.decisions, [](const RankDecision& each) {
    return std::ranges::any_of(each.cells, &TimedCell::undecided);
  });
  if (first == decision.decisions.end()) {
    return false;
  }
  for (auto each = first; each != decision.decisions.end(); ++each) {
    for (const TimedCell& cell : each->cells) {
      decision.messages_needed = std::max(decision.messages_needed, cell.messages_needed);
    }
  }
  decision.messages_needed = rounded_up(decision.messages_needed);
  const auto left = static_cast<std::size_t>(first - decision.decisions.begin());
  const std::size_t before = decision.ranks.size();
  std::vector<Machine> machines;
  for (std::size_t i = 0; i < decision.machines.size(); ++i) {
    if (i % before < left) {
      machines.push_back(std::move(decision.machines[i]));
    }
  }
  decision.machines = std::move(machines);
  decision.too_many_ranks.assign(decision.ranks.begin() + static_cast<std::ptrdiff_t>(left),
                                 decision.ranks.end());
  decision.ranks.resize(left);
  decision.decisions.erase(first, decision.decisions.end());
  return true;
}

}  // namespace

void make_grid(Decision& decision) {
  for (std::uint32_t r = 0; r < decision.ranks.size(); ++r) {
    RankDecision each;
    each.ranks = decision.ranks[r];
    for (const std::uint64_t bytes : decision.sizes_bytes) {
      TimedCell cell;
      cell.rank_index = r;
      cell.bytes = decision.bytes_of(bytes, each.ranks);
      each.cells.push_back(std::move(cell));
    }
    decision.decisions.push_back(std::move(each));
  }
}

void decide_by_times(Decision& decision, Runner* runner, std::size_t jobs, bool everything) {
  std::vector<TimedCell*> cells;
  for (RankDecision& each : decision.decisions) {
    for (TimedCell& cell : each.cells) {
      cells.push_back(&cell);
    }
  }
  const TimingSetup setup{
      decision.candidates, decision.ranks, decision.machines, decision.by,
      // If the number of rules is limited, a rule may have to cover sizes at which its candidate is
      // much slower than the best, so the times of slow candidates are needed too.
      everything || decision.limits.at_most.has_value(), decision.limits.tolerance > 0,
      decision.limits.tolerance, jobs, runner, decision.most_messages};
  std::optional<CandidateTimer> of_all(setup);
  of_all->time(cells, "deciding");
  if (leave_out_undecided(decision)) {
    if (decision.ranks.empty()) {
      return;
    }
    of_all.emplace(setup);  // with only the remaining machines
  }
  const CandidateTimer& timer = *of_all;
  SearchTiming timing;
  timing.time = [&](const std::vector<TimedCell*>& wave) {
    timer.time(wave, "finding boundaries");
  };
  timing.cuts = [&](std::size_t candidate) { return decision.candidates[candidate].cuts; };
  // Without a tolerance, every size gets its own best segment size.
  if (decision.limits.tolerance > 0) {
    timing.estimate = [&](const std::vector<SegmentTrial>& wishes) { timer.estimate(wishes); };
    timing.recut = [&](const std::vector<SegmentTrial>& wishes) {
      timer.recut(wishes, "trying segments");
    };
  }
  search_decisions(decision.decisions,
                   {decision.limits, decision.crossover, decision.element_bytes}, timing);
}

std::vector<RankStep> steps_decided(
    const Decision& decision,
    const std::function<std::string(const RankDecision&, std::size_t interval)>& why) {
  std::vector<RankStep> steps = steps_of(decision.decisions, decision.candidates, why);
  const bool none = std::ranges::all_of(steps, [](const RankStep& step) {
    return std::ranges::all_of(step.sizes,
                               [](const SizeStep& size) { return size.choice.left_to_library; });
  });
  return none ? std::vector<RankStep>() : steps;
}

bool something_runs(const Decision& decision) {
  return std::any_of(decision.decisions.begin(), decision.decisions.end(),
                     [](const RankDecision& each) { return !each.intervals.empty(); });
}

void check_something_runs(const Decision& decision) {
  if (something_runs(decision)) {
    return;
  }
  const std::string* refusal = nullptr;
  for (const RankDecision& each : decision.decisions) {
    for (const TimedCell& cell : each.cells) {
      for (const CandidateTime& time : cell.times) {
        refusal = refusal == nullptr && !time.refusal.empty() ? &time.refusal : refusal;
      }
    }
  }
  throw UserError(
      refusal != nullptr
          ? *refusal
          : std::string("no algorithm has a time for any of these numbers of ranks and sizes"));
}

}  // namespace tutti::inline experiments
