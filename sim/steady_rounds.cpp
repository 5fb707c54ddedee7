#include "sim/steady_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "sim/engine.hpp"

namespace tutti { inline namespace sim {

namespace {

// Two times are equal if they differ by at most this share of the later one. It covers the rounding
// errors of the events of one step. The errors of many steps mostly cancel.
constexpr double kRoundingOfStep = 64 * std::numeric_limits<double>::epsilon();
constexpr double kStepsOfSameRounding = 128;

class Stretch {
 public:
  Stretch(const RepeatedRounds& rounds, const Timeline& timeline)
      : rounds_(rounds),
        timeline_(timeline),
        rounding_(kRoundingOfStep * (1 + (rounds.steps - 1) / kStepsOfSameRounding)) {}

  [[nodiscard]] std::optional<SteadyRounds> steady() const {
    // The last rounds may be disturbed by ranks that are done with theirs, so that the rounds which
    // repeat can end before the last one.
    std::uint32_t last = rounds_.kept < 2 ? 0 : rounds_.kept - 2;
    while (last > 0) {
      const double period_s = gap_s(last);
      std::uint32_t first = last;
      while (first > 0 && repeats(first, period_s)) {
        --first;
      }
      if (first < last) {
        const double mean_s = (start_s(last, 0) - start_s(first, 0)) / (last - first);
        if (holds_from(first + 1, last, mean_s)) {
          return SteadyRounds{first, last, mean_s};
        }
        last = first;
      } else {
        --last;
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] double start_s(std::uint32_t round, OpId i) const {
    return timeline_.start_s[rounds_.begin_of(round) + i];
  }
  [[nodiscard]] double gap_s(std::uint32_t round) const {
    return start_s(round, 0) - start_s(round - 1, 0);
  }

  // True if all operations of the round start and end `period_s` after those of the round before.
  [[nodiscard]] bool repeats(std::uint32_t round, double period_s) const {
    const auto shifted = [&](const std::vector<double>& times) {
      const OpId begin = rounds_.begin_of(round);
      for (OpId id = begin; id < begin + rounds_.ops; ++id) {
        if (!(std::fabs(times[id] - times[id - rounds_.ops] - period_s) <= rounding_ * times[id])) {
          return false;
        }
      }
      return true;
    };
    return shifted(timeline_.start_s) && shifted(timeline_.end_s) &&
           (timeline_.arrival_s.empty() || shifted(timeline_.arrival_s));
  }

  // The conditions of the header.
  [[nodiscard]] bool holds_from(std::uint32_t a, std::uint32_t b, double period_s) const {
    const std::span start_s(timeline_.start_s);
    const std::span end_s(timeline_.end_s);
    const OpId before = rounds_.begin_of(a - 1);
    const OpId last = rounds_.begin_of(b);
    const OpId after = rounds_.begin_of(b + 1);
    const double at_s = std::min(std::ranges::min(start_s.subspan(after)) - period_s,
                                 std::ranges::min(start_s.subspan(last, rounds_.ops)));
    double from_s = std::ranges::max(end_s.subspan(before, rounds_.ops)) - period_s;
    if (before > 0) {
      from_s = std::max(from_s, std::ranges::max(end_s.first(before)));
    }
    if (!(instant_end_s(std::max(from_s, 0.0)) < at_s)) {
      return false;
    }
    const double slack_s = rounding_ * at_s;
    for (OpId id = before; id < last; ++id) {
      if (start_s[id] < from_s - slack_s && end_s[id] > at_s + slack_s) {
        return false;
      }
    }
    return same_instants(at_s, period_s * rounds_.left_out);
  }

  // Condition 5: true if events after `from_s` that are distinct instants stay so when they come
  // `later_s` later.
  [[nodiscard]] bool same_instants(double from_s, double later_s) const {
    if (!timeline_.waited || instant_length_s(timeline_.total_s + later_s) <= instant_length_s(0)) {
      return true;  // no order matters, or all instants are equally long
    }
    std::vector<double> times_s;
    for (const std::vector<double>* const each : {&timeline_.start_s, &timeline_.end_s}) {
      std::ranges::copy_if(*each, std::back_inserter(times_s),
                           [&](double at_s) { return at_s >= from_s; });
    }
    std::ranges::sort(times_s);
    return std::ranges::adjacent_find(times_s, [&](double a, double b) {
             return b - a > instant_length_s(a) && b - a <= instant_length_s(a + later_s);
           }) == times_s.end();
  }
  static double instant_length_s(double at_s) { return instant_end_s(at_s) - at_s; }

  const RepeatedRounds& rounds_;
  const Timeline& timeline_;
  double rounding_;  // the share by which equal times may differ
};

}  // namespace

bool add_left_out_rounds(const Schedule& schedule, Timeline& timeline) {
  std::vector<SteadyRounds> steady;
  for (const RepeatedRounds& rounds : schedule.repeated()) {
    const auto found = Stretch(rounds, timeline).steady();
    if (!found) {
      return false;
    }
    steady.push_back(*found);
  }
  timeline.total_s += left_out_s(schedule, steady);
  timeline.steady = std::move(steady);
  return true;
}

double left_out_s(const Schedule& schedule, const std::vector<SteadyRounds>& steady) {
  double sum_s = 0;
  for (std::size_t i = 0; i < steady.size(); ++i) {
    sum_s += steady[i].period_s * schedule.repeated()[i].left_out;
  }
  return sum_s;
}

void RoundCuts::advance(const Schedule& tried) {
  constexpr std::uint32_t kGrowth = 8;
  const std::uint32_t next = std::max(kGrowth * now_, now_ == kFirst ? 2 * reach_ + kFirst : 0);
  now_ = pays(tried, next) ? next : kAllRounds;
}

bool RoundCuts::pays(const Schedule& cut, std::uint32_t rounds) const {
  return std::ranges::any_of(cut.repeated(), [&](const RepeatedRounds& stretch) {
    const double all = static_cast<double>(stretch.kept) + stretch.left_out;
    // If rounds have many steps, a cut to more steps may keep as many rounds as this one.
    const bool keeps_more = stretch.steps == 1 || rounds / stretch.steps > stretch.kept;
    return keeps_more && rounds < most_share_ * all * stretch.steps;
  });
}

}}  // namespace tutti::sim
