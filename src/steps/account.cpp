#include "src/steps/account.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tutti { inline namespace steps {

namespace {

// Goes through the actions of one rank after the other.
class RankClock {
 public:
  RankClock(const StepDescription& step, const std::vector<std::uint64_t>& times,
            std::span<const StepSchedule> runs, const Timeline& timeline, double start_s)
      : step_(step), times_(times), runs_(runs), timeline_(timeline), start_s_(start_s) {
    std::map<std::pair<std::uint32_t, std::optional<std::uint32_t>>, std::uint32_t> numbers;
    for (std::size_t i = 0; i < step_.actions.size(); ++i) {
      const StepAction& action = step_.actions[i];
      if (action.kind != StepAction::Kind::compute && !action.calls()) {
        row_of_action_.push_back(kNoCollective);
        continue;
      }
      const auto call = action.calls() ? std::optional(action.what) : std::nullopt;
      const auto [found, is_new] = numbers.try_emplace({action.line, call}, rows_.size());
      if (is_new) {
        rows_.push_back({.line = action.line, .call = call, .of_last = {}, .mean = {}});
      }
      rows_[found->second].times += action.stage.value_or(0) == 0 ? runs.size() * times_[i] : 0;
      row_of_action_.push_back(found->second);
      if (action.calls()) {
        row_of_collective_.push_back(found->second);
        times_of_collective_.push_back(static_cast<double>(times_[i]));
      }
    }
  }

  [[nodiscard]] const std::vector<StepRow>& rows() const { return rows_; }

  // Writes what a rank spends for each row, where it is 0.
  void run(Rank rank, std::uint32_t place, std::vector<SpentTime>& spent) {
    spent_ = &spent;
    place_ = place;
    now_s_ = start_s_;
    for (const StepSchedule& each : runs_) {
      schedule_ = &each;
      run(rank, spent);
    }
    for (SpentTime& each : spent) {
      each.hidden_s = std::max(each.hidden_s - each.exposed_s, 0.0);
    }
  }

 private:
  // Adds what a rank spends in one run.
  void run(Rank rank, std::vector<SpentTime>& spent) {
    std::size_t computed = 0;
    for (std::size_t i = 0; i < step_.actions.size(); ++i) {
      const StepAction& action = step_.actions[i];
      const bool here = step_.takes_part(action, rank);
      now_times_ = static_cast<double>(times_[i]);
      if (action.kind == StepAction::Kind::compute) {
        computed += 1;
        if (here) {
          compute(computed - 1, action.picoseconds, spent[row_of_action_[i]]);
        }
      } else if (here && action.kind != StepAction::Kind::beside &&
                 action.kind != StepAction::Kind::handover) {
        wait_for(schedule_->collective_of[i]);
      }
    }
    now_times_ = 1;
    std::vector<std::uint32_t> left = schedule_->last_of_group;
    std::erase(left, kNoCollective);
    std::ranges::sort(left, {}, [this](std::uint32_t each) { return end_s(each); });
    for (const std::uint32_t each : left) {
      wait_for(each);
    }
    for (std::uint32_t each = 0; each < row_of_collective_.size(); ++each) {
      // Whatever of a collective is not exposed is hidden.
      spent[row_of_collective_[each]].hidden_s +=
          times_of_collective_[each] * (end_s(each) - begin_s(each));
    }
  }

  [[nodiscard]] double end_of(OpId op) const { return op == kNoOp ? 0 : timeline_.end_s[op]; }
  [[nodiscard]] double begin_s(std::uint32_t collective) const {
    return end_of(schedule_->begin_after[std::size_t{collective} * schedule_->places + place_]);
  }
  [[nodiscard]] double end_s(std::uint32_t collective) const {
    return end_of(schedule_->ends[std::size_t{collective} * schedule_->places + place_]);
  }

  void compute(std::size_t number, std::uint64_t picoseconds, SpentTime& spent) {
    const OpId last = schedule_->computed[number * schedule_->places + place_];
    const double start_s = timeline_.start_s[last + 1 - operations_of(picoseconds)];
    spent.core_wait_s += now_times_ * std::max(start_s - now_s_, 0.0);
    const double computing_s = timeline_.end_s[last] - start_s;
    spent.computing_s += now_times_ * computing_s;
    if (!step_.slowdowns.empty()) {
      spent.slowed_s +=
          now_times_ * std::max(computing_s - static_cast<double>(picoseconds) * 1e-12, 0.0);
    }
    now_s_ = timeline_.end_s[last];
  }

  // Waits until the collective is over. Before it began, its stream ran the collectives before it.
  void wait_for(std::uint32_t collective) {
    if (collective == kNoCollective || end_s(collective) <= now_s_) {
      return;
    }
    double until_s = end_s(collective);
    const double end = until_s;
    while (until_s > now_s_) {
      const std::uint32_t before = schedule_->previous[collective];
      const double from_s = before == kNoCollective
                                ? now_s_
                                : std::max(now_s_, std::min(until_s, begin_s(collective)));
      (*spent_)[row_of_collective_[collective]].exposed_s += now_times_ * (until_s - from_s);
      until_s = from_s;
      collective = before;
    }
    now_s_ = end;
  }

  const StepDescription& step_;
  const std::vector<std::uint64_t>& times_;  // by action
  std::span<const StepSchedule> runs_;
  const Timeline& timeline_;
  double start_s_;
  std::vector<StepRow> rows_;
  std::vector<std::uint32_t> row_of_action_;
  std::vector<std::uint32_t> row_of_collective_;
  std::vector<double> times_of_collective_;
  const StepSchedule* schedule_ = nullptr;  // of the present run
  std::vector<SpentTime>* spent_ = nullptr;
  std::uint32_t place_ = 0;
  double now_s_ = 0;
  double now_times_ = 1;  // how often the present action is carried out
};

SpentTime sum_of(const std::vector<SpentTime>& all) {
  SpentTime sum;
  for (const SpentTime& each : all) {
    sum.add(each);
  }
  return sum;
}

}  // namespace

void SpentTime::add(const SpentTime& other, double times) {
  computing_s += times * other.computing_s;
  slowed_s += times * other.slowed_s;
  core_wait_s += times * other.core_wait_s;
  exposed_s += times * other.exposed_s;
  hidden_s += times * other.hidden_s;
}

namespace {

StepAccount account_of_all(RankClock& clock, const StepPlaces& places) {
  StepAccount account;
  account.rows = clock.rows();
  add_ranks(account, places.simulated, [&](std::uint32_t place, std::vector<SpentTime>& spent) {
    const Rank rank = places.rank_of_place[place];
    clock.run(rank, place, spent);
    return rank;
  });
  account.total_s = account.of_last.total_s();
  return account;
}

}  // namespace

void add_ranks(StepAccount& account, std::uint32_t count, const SpendOfRank& spend) {
  std::vector<SpentTime> spent;
  const double share = 1.0 / count;
  for (std::uint32_t i = 0; i < count; ++i) {
    spent.assign(account.rows.size(), {});
    const Rank rank = spend(i, spent);
    const SpentTime sum = sum_of(spent);
    const bool is_latest = i == 0 || sum.total_s() > account.of_last.total_s() * (1 + 1e-12);
    if (is_latest) {
      account.last = rank;
      account.of_last = sum;
    }
    account.mean.add(sum, share);
    for (std::size_t row = 0; row < spent.size(); ++row) {
      account.rows[row].mean.add(spent[row], share);
      account.rows[row].of_last = is_latest ? spent[row] : account.rows[row].of_last;
    }
  }
}

StepAccount account_of(const StepRun& run) {
  RankClock clock(run.shortened.step(), run.shortened.times(), std::span(&run.step, 1),
                  run.run.timeline, 0);
  return account_of_all(clock, run.places);
}

StepAccount account_of(const StepDescription& step, const StepPlaces& places,
                       std::span<const StepSchedule> runs, const Timeline& timeline,
                       double start_s) {
  const std::vector<std::uint64_t> once(step.actions.size(), 1);
  RankClock clock(step, once, runs, timeline, start_s);
  return account_of_all(clock, places);
}

StepWork work_of(const StepRun& run) {
  StepWork work;
  work.simulated_ranks = run.places.simulated;
  work.simulated_ops = run.schedule.size();
  work.repeats = run.shortened.is_shorter();
  const std::vector<std::uint64_t>& times = run.shortened.times();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const OpId end = run.step.first_ops[i + 1];
    for (OpId op = run.step.first_ops[i]; op < end; ++op) {
      work.messages += run.schedule.op(op).is_comm() ? times[i] : 0;
    }
    work.ops += times[i] * (end - run.step.first_ops[i]);
  }
  work.ops *= run.stands_for();
  work.messages *= run.stands_for();
  return work;
}

StepRow sum_of_group(const StepDescription& step, const StepAccount& account, std::uint32_t group) {
  StepRow sum;
  for (const StepRow& row : account.rows) {
    if (row.call && step.calls[*row.call].group == group) {
      sum.times += row.times;
      sum.of_last.add(row.of_last);
      sum.mean.add(row.mean);
    }
  }
  return sum;
}

}}  // namespace tutti::steps
