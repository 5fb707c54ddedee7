#include "src/steps/repetition.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "sim/engine.hpp"

namespace tutti { inline namespace steps {

namespace {

constexpr std::uint32_t kMissing = 0xffffffffU;

// Largest difference between two times near `now_s` that rounding may cause: events of one instant
// are simultaneous.
double rounding_s(double now_s) { return 4 * (instant_end_s(now_s) - now_s); }

// Largest difference between two cycles that take `shift_s`, as a share of it. It is multiplied
// with the cycles that are not simulated, so a step that only approaches a cycle must not pass.
constexpr double kDifference = 3e-10;

double difference_s(double shift_s, double now_s) {
  return std::min(rounding_s(now_s), kDifference * shift_s);
}

// The times of the operations of a step's actions.
class ActionTimes {
 public:
  ActionTimes(const Schedule& schedule, const Timeline& timeline, const std::vector<OpId>& first)
      : schedule_(schedule),
        timeline_(timeline),
        first_(first),
        latest_before_(first.size(), 0.0),
        earliest_from_(first.size(), std::numeric_limits<double>::infinity()) {
    for (std::size_t action = 1; action < first.size(); ++action) {
      latest_before_[action] = std::max(latest_before_[action - 1], latest_end(action - 1));
    }
    for (std::size_t action = first.size() - 1; action-- > 0;) {
      earliest_from_[action] = earliest_from_[action + 1];
      for (OpId op = first[action]; op < first[action + 1]; ++op) {
        earliest_from_[action] = std::min(earliest_from_[action], timeline.start_s[op]);
      }
    }
  }

  // Latest end of the operations before an action.
  [[nodiscard]] double latest_before(std::size_t action) const { return latest_before_[action]; }
  // Earliest start of the operations from an action on.
  [[nodiscard]] double earliest_from(std::size_t action) const { return earliest_from_[action]; }

  // Latest end of the operations of some actions.
  [[nodiscard]] double latest_end(std::size_t from, std::size_t to) const {
    double latest_s = 0;
    for (OpId op = first_[from]; op < first_[to]; ++op) {
      latest_s = std::max(latest_s, timeline_.end_s[op]);
    }
    return latest_s;
  }
  // Earliest start of the operations of some actions that run at `now_s`; `now_s` if none does.
  [[nodiscard]] double earliest_running(std::size_t from, std::size_t to, double now_s) const {
    double earliest_s = now_s;
    for (OpId op = first_[from]; op < first_[to]; ++op) {
      if (timeline_.end_s[op] > now_s + rounding_s(now_s)) {
        earliest_s = std::min(earliest_s, timeline_.start_s[op]);
      }
    }
    return earliest_s;
  }

  // Returns the time between two iterations of `period` actions, if all operations of the second
  // one take place that time after those of the first one.
  [[nodiscard]] std::optional<double> shift(std::size_t first, std::size_t second,
                                            std::size_t period) const {
    const OpId a = first_[first];
    const OpId b = first_[second];
    const OpId count = first_[first + period] - a;
    if (count != first_[second + period] - b) {
      return std::nullopt;
    }
    const double shift_s = count == 0 ? 0 : timeline_.start_s[b] - timeline_.start_s[a];
    for (OpId i = 0; i < count; ++i) {
      const double most_s = difference_s(shift_s, timeline_.end_s[b + i]);
      if (!same(schedule_.op(a + i), schedule_.op(b + i)) ||
          std::abs(timeline_.start_s[b + i] - timeline_.start_s[a + i] - shift_s) > most_s ||
          std::abs(timeline_.end_s[b + i] - timeline_.end_s[a + i] - shift_s) > most_s) {
        return std::nullopt;
      }
    }
    return shift_s;
  }

 private:
  [[nodiscard]] double latest_end(std::size_t action) const {
    return latest_end(action, action + 1);
  }
  static bool same(const Op& a, const Op& b) {
    return a.kind() == b.kind() && a.src() == b.src() && a.dst() == b.dst() &&
           a.bytes() == b.bytes();
  }

  const Schedule& schedule_;
  const Timeline& timeline_;
  const std::vector<OpId>& first_;
  std::vector<double> latest_before_;
  std::vector<double> earliest_from_;
};

// Returns the times when each place reaches an action.
using ReachedTimes = std::function<const std::vector<double>&(std::size_t)>;

bool is_shifted(const std::vector<double>& first_s, const std::vector<double>& second_s,
                double shift_s, double most_s) {
  for (std::size_t place = 0; place < first_s.size(); ++place) {
    if (std::abs(second_s[place] - first_s[place] - shift_s) > most_s) {
      return false;
    }
  }
  return true;
}

// Iterations after which the state of the run is that before them.
struct Cycle {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Returns a cycle of `length` iterations; nothing if there is none. `begins` has the first action
// of each iteration, and that behind the last one.
std::optional<Cycle> cycle_of(const std::vector<std::size_t>& begins, std::size_t length,
                              const ActionTimes& times, const ReachedTimes& reached) {
  const std::size_t count = begins.size() - 1;
  const std::size_t period = begins[1] - begins[0];
  std::vector<std::optional<double>> shifts;  // from iteration i to i + length
  for (std::size_t i = 0; i + length < count; ++i) {
    shifts.push_back(times.shift(begins[i], begins[i + length], period));
  }
  for (std::size_t b = count - 1; b > length; --b) {
    const auto& last = shifts[b - length - 1];
    if (!last ||
        times.latest_end(begins[b - length], begins[b]) > times.earliest_from(begins[count])) {
      continue;
    }
    std::size_t a = b - length - 1;
    const double most_s = difference_s(*last, times.latest_before(begins[b]));
    while (a > 0 && shifts[a - 1] && std::abs(*shifts[a - 1] - *last) <= most_s) {
      --a;
    }
    const std::size_t known = a + length;  // the first one that is like another
    const double now_s = times.earliest_from(begins[b]);
    if (std::abs(times.earliest_from(begins[b - length]) + *last - now_s) > most_s ||
        !is_shifted(reached(begins[b - length]), reached(begins[b]), *last, most_s)) {
      continue;
    }
    const double running_s = times.earliest_running(begins[known], begins[b], now_s);
    if (times.latest_before(begins[known]) <= running_s + rounding_s(running_s)) {
      return Cycle{b - length, b};
    }
  }
  return std::nullopt;
}

}  // namespace

ShortStep::ShortStep(const StepDescription& step, const IterationsToKeep& kept, bool all)
    : kept_(kept) {
  const auto whole = [&] {
    step_ = step;
    loops_.clear();
    times_.assign(step_.actions.size(), 1);
  };
  if (all || step.loops.empty()) {
    whole();
    return;
  }
  step_ = step;
  step_.actions.clear();
  std::uint32_t begun = 0;
  for (const StepAction& action : step.actions) {
    begun_before_.push_back(begun);
    begun += action.calls() ? 1 : 0;
  }
  begun_before_.push_back(begun);
  new_number_.assign(begun, kMissing);
  std::size_t loop = 0;
  copy(step, 0, step.actions.size(), loop);
  renumber_waits();
  if (lost_ || loops_.empty()) {
    whole();
  }
}

void ShortStep::copy(const StepDescription& whole, std::size_t from, std::size_t to,
                     std::size_t& loop) {
  while (from < to) {
    while (loop < whole.loops.size() && whole.loops[loop].begin < from) {
      ++loop;
    }
    if (loop == whole.loops.size() || whole.loops[loop].begin >= to) {
      while (from < to) {
        copy_action(whole, from++);
      }
      return;
    }
    const StepLoop& of = whole.loops[loop];
    while (from < of.begin) {
      copy_action(whole, from++);
    }
    ++loop;
    copy_loop(whole, of, alike_iterations(whole, of), loop);
    from = of.begin + of.period * of.times;
  }
}

void ShortStep::copy_loop(const StepDescription& whole, const StepLoop& of, Region region,
                          std::size_t& loop) {
  const std::size_t end = of.begin + of.period * of.times;
  const std::size_t kept = kept_of(of, region.times);
  if (kept >= region.times) {
    // The loop itself has been passed already, so copying it copies the loops in it.
    copy(whole, of.begin, end, loop);
    return;
  }
  const std::size_t inner = loop;
  const auto copy_part = [&](std::size_t from, std::size_t to) {
    loop = inner;
    copy(whole, from, to, loop);
  };
  copy_part(of.begin, region.begin);
  const std::size_t tail = kept / 2;
  Loop made{{}, region.times - kept, of.line};
  const auto begin_of = [&](std::size_t iteration) { return region.begin + iteration * of.period; };
  for (std::size_t i = 0; i < region.times; ++i) {
    if (i == kept - tail) {
      const std::size_t next = region.times - tail;
      const std::uint32_t first = begun_before_[begin_of(i)];
      const std::uint32_t last = begun_before_[begin_of(next)];
      gaps_.push_back({first, last, last - first});
      i = next;
    }
    made.begins.push_back(step_.actions.size());
    copy_part(begin_of(i), begin_of(i + 1));
  }
  made.begins.push_back(step_.actions.size());
  loops_.push_back(std::move(made));
  copy_part(begin_of(region.times), end);
}

void ShortStep::copy_action(const StepDescription& whole, std::size_t action) {
  step_.actions.push_back(whole.actions[action]);
  times_.push_back(1);
  if (whole.actions[action].calls()) {
    new_number_[begun_before_[action]] = begun_++;
  }
}

ShortStep::Region ShortStep::alike_iterations(const StepDescription& whole,
                                              const StepLoop& loop) const {
  Region longest{loop.begin, 1};
  Region now = longest;
  for (std::size_t i = 1; i < loop.times; ++i) {
    const std::size_t begin = loop.begin + i * loop.period;
    if (alike(whole, begin - loop.period, begin, loop.period)) {
      ++now.times;
    } else {
      now = {begin, 1};
    }
    longest = now.times > longest.times ? now : longest;
  }
  return longest;
}

bool ShortStep::alike(const StepDescription& whole, std::size_t a, std::size_t b,
                      std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i) {
    const StepAction& one = whole.actions[a + i];
    const StepAction& other = whole.actions[b + i];
    const bool back = one.kind == StepAction::Kind::wait_call;
    if (one.kind != other.kind || one.line != other.line || one.picoseconds != other.picoseconds ||
        one.stage != other.stage || one.to_stage != other.to_stage ||
        (back ? begun_before_[a + i] - one.what != begun_before_[b + i] - other.what
              : one.what != other.what)) {
      return false;
    }
  }
  return true;
}

std::size_t ShortStep::kept_of(const StepLoop& loop, std::size_t alike) const {
  if (const auto found = kept_.find(loop.line); found != kept_.end()) {
    return found->second;
  }
  const std::size_t few = std::max<std::size_t>(6, loop.overlap + 4);
  return few < alike ? few + (alike - few) % loop.cycle : few;
}

void ShortStep::renumber_waits() {
  for (StepAction& action : step_.actions) {
    if (action.kind != StepAction::Kind::wait_call) {
      continue;
    }
    std::uint32_t collective = action.what;
    while (new_number_[collective] == kMissing) {
      const auto gap = std::ranges::find_if(gaps_, [&](const Gap& each) {
        return each.begin <= collective && collective < each.end;
      });
      if (gap == gaps_.end() || collective < gap->back) {
        lost_ = true;
        return;
      }
      collective -= gap->back;
    }
    action.what = new_number_[collective];
  }
}

std::vector<std::size_t> ShortStep::begins() const {
  std::vector<std::size_t> all;
  for (const Loop& loop : loops_) {
    all.insert(all.end(), loop.begins.begin(), loop.begins.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::optional<ShortStep::IterationsToKeep> ShortStep::find_cycles(
    const Schedule& schedule, const Timeline& timeline, const std::vector<OpId>& first_ops,
    const std::vector<std::vector<double>>& reached_s) {
  if (loops_.empty()) {
    return std::nullopt;
  }
  const ActionTimes action_times(schedule, timeline, first_ops);
  const std::vector<std::size_t> all_begins = begins();
  const auto reached = [&](std::size_t begin) -> const std::vector<double>& {
    const auto found = std::ranges::lower_bound(all_begins, begin);
    return reached_s[static_cast<std::size_t>(found - all_begins.begin())];
  };
  IterationsToKeep more;
  for (const Loop& loop : loops_) {
    const std::size_t count = loop.begins.size() - 1;
    std::optional<Cycle> cycle;
    for (std::size_t length = 1; !cycle && length <= count / 2; ++length) {
      cycle = cycle_of(loop.begins, length, action_times, reached);
    }
    if (!cycle) {
      more[loop.line] = 2 * count;
      continue;
    }
    const std::size_t length = cycle->end - cycle->begin;
    if (loop.missing % length != 0) {
      more[loop.line] = count + loop.missing % length;
      continue;
    }
    for (std::size_t i = loop.begins[cycle->begin]; i < loop.begins[cycle->end]; ++i) {
      times_[i] *= loop.missing / length + 1;
    }
  }
  if (more.empty()) {
    return std::nullopt;
  }
  for (const auto& [line, count] : kept_) {
    more.try_emplace(line, count);
  }
  return more;
}

}}  // namespace tutti::steps
