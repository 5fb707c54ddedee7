#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/human.hpp"
#include "src/experiments/doctor/shapes.hpp"

namespace tutti { inline namespace experiments {

namespace {

// A time is too long if a larger size takes this much less, or a smaller one has this much more
// rate. Healthy sweeps have humps of up to 1.08.
constexpr double kStep = 1.2;

double median_of(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Returns the spread of values around their median as a standard deviation, without regard to a few
// outliers.
double spread_of(const std::vector<double>& values) {
  const double middle = median_of(values);
  std::vector<double> away;
  for (const double each : values) {
    away.push_back(std::abs(each - middle));
  }
  constexpr double kToDeviation = 1.4826;
  return kToDeviation * median_of(std::move(away));
}

// Returns by how much each time is too long, as a factor: 1 if neither a larger size takes less
// time, nor a smaller one has a higher rate.
std::vector<double> excesses(const std::vector<CurveRow>& rows, const std::vector<double>& times) {
  std::vector<double> found(rows.size(), 1);
  double best_rate = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double rate = static_cast<double>(rows[i].bytes) / times[i];
    best_rate = std::max(best_rate, rate);
    found[i] = best_rate / rate;
  }
  double least_s = times.empty() ? 0 : times.back();
  for (std::size_t i = rows.size(); i-- > 0;) {
    least_s = std::min(least_s, times[i]);
    found[i] = std::max(found[i], times[i] / least_s);
  }
  return found;
}

std::vector<double> times_of(const Diagnosis& of) {
  std::vector<double> times;
  for (const CurveRow& row : of.curve.rows) {
    times.push_back(row.time_s);
  }
  return times;
}

// Excesses of the measured times over those of the expected ones.
std::vector<double> unexpected_excesses(const Diagnosis& of) {
  std::vector<double> found = excesses(of.curve.rows, times_of(of));
  std::vector<double> expected;
  for (const auto& row : of.expected.rows) {
    if (!row) {
      return found;
    }
    expected.push_back(row->model_s.value_or(row->high_s));
  }
  const std::vector<double> by_model = excesses(of.curve.rows, expected);
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i] /= by_model[i];
  }
  return found;
}

// Returns the number of rows at the beginning whose times have set-up in them: those that take much
// longer than the fastest of the next rows.
std::size_t cold_rows(const Diagnosis& of) {
  const std::vector<CurveRow>& rows = of.curve.rows;
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kNext = 4;
  constexpr double kCold = 1.5;
  for (std::size_t cold = std::min(kMost, rows.size()); cold > 0; --cold) {
    if (cold + 1 >= rows.size()) {
      continue;
    }
    double next_s = rows[cold].time_s;
    for (std::size_t i = cold; i < std::min(rows.size(), cold + kNext); ++i) {
      next_s = std::min(next_s, rows[i].time_s);
    }
    const bool all = std::all_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(cold),
                                 [&](const CurveRow& row) { return row.time_s > kCold * next_s; });
    if (all) {
      return cold;
    }
  }
  return 0;
}

// True if the size of `row` is about the geometric mean of the sizes beside it.
bool is_between(const CurveRow& before, const CurveRow& row, const CurveRow& after) {
  constexpr double kAbout = 1.1;
  const double factor = static_cast<double>(row.bytes) / static_cast<double>(before.bytes) *
                        (static_cast<double>(row.bytes) / static_cast<double>(after.bytes));
  return factor < kAbout && factor > 1 / kAbout;
}

// How much the times of the same call differ.
double noise_of(const Diagnosis& of) {
  const std::vector<CurveRow>& rows = of.curve.rows;
  std::vector<double> twice;
  std::vector<double> beside;
  constexpr std::uint64_t kLarge = 1U << 16U;
  constexpr double kTwoTimes = 1.41;
  constexpr double kThreeTimes = 1.22;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].in_place_s && rows[i].bytes >= kLarge) {
      twice.push_back(std::log(*rows[i].in_place_s / rows[i].time_s) / kTwoTimes);
    }
    if (i > 0 && i + 1 < rows.size() && is_between(rows[i - 1], rows[i], rows[i + 1])) {
      beside.push_back((std::log(rows[i].time_s) -
                        (std::log(rows[i - 1].time_s) + std::log(rows[i + 1].time_s)) / 2) /
                       kThreeTimes);
    }
  }
  constexpr std::size_t kEnough = 6;
  constexpr std::size_t kEnoughBeside = 10;  // a single hiccup changes three
  double noise = 0;
  if (twice.size() >= kEnough) {
    noise = spread_of(twice);
  } else if (beside.size() >= kEnoughBeside) {
    // Neighbours also differ where the library changes its algorithm.
    constexpr double kOfChanges = 0.6;
    noise = kOfChanges * spread_of(beside);
  }
  std::vector<double> repeats;
  for (const CurveRow& row : rows) {
    if (row.spread) {
      repeats.push_back(std::log(*row.spread) / 2);
    }
  }
  return repeats.size() >= kEnough ? std::max(noise, median_of(repeats)) : noise;
}

std::optional<Symptom> noise(const Diagnosis& of) {
  constexpr double kNoisy = 0.09;
  const double found = noise_of(of);
  if (found < kNoisy) {
    return std::nullopt;
  }
  return Symptom{"noise",
                 Severity::low,
                 Sureness::likely,
                 fmt::format("the times of the same call vary by about {:.0f} %: lost packets or "
                             "congestion (RoCE without flow control, hash collisions), other jobs, "
                             "or throttling",
                             100 * found),
                 "counters of pauses, ECN marks and drops on cards and switches, and clocks of the "
                 "GPUs; repeat the test several times",
                 again_with(of, ""),
                 {}};
}

// A range of rows that are too slow.
struct SlowRange {
  std::size_t first = 0;
  std::size_t end = 0;
  double excess = 1;
};

std::vector<SlowRange> slow_ranges(const Diagnosis& of) {
  const std::vector<double> excess = unexpected_excesses(of);
  constexpr double kNoises = 4.5;
  const double least = std::max(kStep, 1 + kNoises * noise_of(of));
  std::vector<SlowRange> ranges;
  for (std::size_t i = cold_rows(of); i < excess.size(); ++i) {
    if (excess[i] < least) {
      continue;
    }
    if (ranges.empty() || ranges.back().end != i) {
      ranges.push_back({i, i, 1});
    }
    ranges.back().end = i + 1;
    ranges.back().excess = std::max(ranges.back().excess, excess[i]);
  }
  return ranges;
}

// True if the in-place call of the only row of the range is not slow, so that the row is a hiccup.
bool is_hiccup(const Diagnosis& of, const SlowRange& range) {
  const CurveRow& row = of.curve.rows[range.first];
  return range.end == range.first + 1 && row.in_place_s &&
         row.time_s > std::sqrt(range.excess) * *row.in_place_s;
}

// Returns what the library changes at the beginning of the range, as the end of a sentence.
std::string change_at(const Diagnosis& of, const SlowRange& range) {
  const auto& rows = of.expected.rows;
  for (std::size_t i = range.first; i < std::min(range.end + 1, rows.size()); ++i) {
    if (i > 0 && rows[i] && rows[i - 1] && rows[i]->choice != rows[i - 1]->choice) {
      return fmt::format("; {} changes from {} to {} at {}", of.expected.by, rows[i - 1]->choice,
                         rows[i]->choice, human_bytes(of.curve.rows[i].bytes));
    }
  }
  return "";
}

Symptom dip_of(const Diagnosis& of, const SlowRange& range) {
  const std::vector<CurveRow>& rows = of.curve.rows;
  const std::string sizes = range.end == range.first + 1
                                ? human_bytes(rows[range.first].bytes)
                                : fmt::format("{} to {}", human_bytes(rows[range.first].bytes),
                                              human_bytes(rows[range.end - 1].bytes));
  constexpr double kDeep = 1.5;
  constexpr double kChance = 1.33;
  constexpr double kChanceOnce = 3;
  // A single size may be slow by chance, above all if it was measured once.
  const bool once = !rows[range.first].in_place_s && !rows[range.first].spread;
  // So is a size whose time is still within what is expected, because it is short.
  const bool single =
      range.end == range.first + 1 && (range.excess < (once ? kChanceOnce : kChance) ||
                                       of.rows[range.first].verdict == Health::right);
  const std::string force = again_with(of, "NCCL_PROTO=Simple");
  return {"dip",
          single                 ? Severity::remark
          : range.excess < kDeep ? Severity::low
                                 : Severity::slow,
          single ? Sureness::possible : Sureness::likely,
          fmt::format("{} takes {} times as long as the sizes around it suggest: {}a switch of "
                      "protocol or algorithm at the wrong size{}",
                      sizes, human_factor(range.excess),
                      single ? "chance (repeat the test), or " : "", change_at(of, range)),
          of.curve.is_nccl
              ? "the same sizes with NCCL_PROTO and NCCL_ALGO forced, and a tuner file"
              : "thresholds between eager and rendezvous messages (UCX_RNDV_THRESH), and rules of "
                "the library",
          force,
          rows[range.first].bytes,
          rows[range.end - 1].bytes};
}

// True if the range is the usual switch from eager to rendezvous messages.
bool is_usual_step(const Diagnosis& of, const SlowRange& range) {
  const std::uint64_t bytes = of.curve.rows[range.first].bytes;
  return of.curve.pair && range.excess < kBadStep && bytes > kSmallestStep && bytes <= kLargestStep;
}

std::optional<Symptom> dip(const Diagnosis& of) {
  std::optional<SlowRange> worst;
  for (const SlowRange& range : slow_ranges(of)) {
    if (range.end < of.curve.rows.size() && !is_hiccup(of, range) && !is_usual_step(of, range) &&
        (!worst || range.excess > worst->excess)) {
      worst = range;
    }
  }
  return worst ? std::optional(dip_of(of, *worst)) : std::nullopt;
}

// Returns how bad a fall at the end is. Buffers of two ranks on one node leave the caches, which is
// usual.
Severity severity_of_fall(const Diagnosis& of, const SlowRange& range) {
  constexpr double kOfCaches = 2.5;
  constexpr double kDeep = 2.5;
  const bool usual = of.curve.pair && of.expected.by.empty() && range.excess < kOfCaches;
  return usual ? Severity::remark : range.excess < kDeep ? Severity::low : Severity::slow;
}

// Returns what may cause a fall at the end. Lost packets and sockets cost much more than memory.
std::string_view causes_of_fall(const Diagnosis& of, const SlowRange& range) {
  constexpr double kCollapse = 4;
  if (of.curve.pair) {
    return "caches that are too small for the buffers (usual if the ranks of a pair share a node), "
           "memory registration, and huge pages";
  }
  return range.excess < kCollapse
             ? "memory registration and translation tables of the cards, huge pages, and messages "
               "that are split at this size: not the network"
             : "lost packets (counters of drops and pauses, flow control of RoCE, the MTU of all "
               "ports), another transport from this size on, and memory registration";
}

std::optional<Symptom> falls_at_the_end(const Diagnosis& of) {
  for (const SlowRange& range : slow_ranges(of)) {
    if (range.end == of.curve.rows.size() && !is_hiccup(of, range)) {
      return Symptom{
          "falls_at_the_end",
          severity_of_fall(of, range),
          Sureness::likely,
          fmt::format("the rate falls by a factor of {} at {}, and does not recover",
                      human_factor(range.excess), human_bytes(of.curve.rows[range.first].bytes)),
          std::string(causes_of_fall(of, range)),
          again_with(of, ""),
          of.curve.rows[range.first].bytes};
    }
  }
  return std::nullopt;
}

std::optional<Symptom> hiccup(const Diagnosis& of) {
  for (const SlowRange& range : slow_ranges(of)) {
    if (is_hiccup(of, range)) {
      const CurveRow& row = of.curve.rows[range.first];
      return Symptom{
          "hiccup",
          Severity::remark,
          Sureness::likely,
          fmt::format("{} took {}, but {} in place: a single hiccup", human_bytes(row.bytes),
                      human_time(row.time_s), human_time(*row.in_place_s)),
          "",
          "",
          row.bytes};
    }
  }
  return std::nullopt;
}

std::optional<Symptom> cold_start(const Diagnosis& of) {
  const std::size_t cold = cold_rows(of);
  if (cold == 0) {
    return std::nullopt;
  }
  return Symptom{"cold_start",
                 Severity::remark,
                 Sureness::likely,
                 fmt::format("the first {} in {}, much longer than the next sizes: set-up, because "
                             "there were too few calls before the timed ones",
                             cold == 1 ? "size runs" : fmt::format("{} sizes run", cold),
                             human_time(of.curve.rows[0].time_s)),
                 "the number of calls before the timed ones",
                 again_with(of, "", "-b 8 -e 64K -w 20"),
                 of.curve.rows[0].bytes};
}

// Causes of slow small messages.
struct StartWords {
  std::string_view cause;
  std::string_view look_at;
};
const StartWords& start_words(const Diagnosis& of) {
  static constexpr StartWords kNode{
      "launching kernels is slow",
      "power states of CPU and GPUs, binding of processes to cores, and CUDA graphs"};
  static constexpr StartWords kNodes{
      "usual for transports over TCP and in clouds, too long for InfiniBand",
      "sockets or a TCP proxy in the log, GDRCopy, and power states of the CPU"};
  static constexpr StartWords kHosts{
      "a flat algorithm in place of one for nodes, shared memory that is not used, or sockets",
      "the components that the library chose, bindings of ranks to cores, and the parameters of "
      "messages ($parameters)"};
  static constexpr StartWords kPair{
      "messages pass sockets, a distant NUMA node, or a CPU that saves power",
      "the transports that the library chose (UCX_LOG_LEVEL=info), bindings of ranks to cores, and "
      "power states of the CPU"};
  return of.curve.pair                                        ? kPair
         : !of.curve.is_nccl                                  ? kHosts
         : of.expected.rates && of.expected.rates->nodes == 1 ? kNode
                                                              : kNodes;
}

std::optional<Symptom> slow_start(const Diagnosis& of) {
  std::vector<double> extra;
  const CurveRow* first = nullptr;
  double expected_s = 0;
  for (std::size_t i = cold_rows(of); i < of.curve.rows.size(); ++i) {
    const auto& expected = of.expected.rows[i];
    if (!expected || expected->high_s > 2 * expected->startup_s) {
      continue;
    }
    if (first == nullptr) {
      first = &of.curve.rows[i];
      expected_s = expected->high_s;
    }
    extra.push_back((of.curve.rows[i].time_s - expected->high_s) / expected->startup_s);
  }
  constexpr double kWorthSaying = 2;
  if (extra.empty() || median_of(extra) < kWorthSaying) {
    return std::nullopt;
  }
  const bool slow = median_of(extra) > kMoreStartups;
  const StartWords& words = start_words(of);
  return Symptom{"slow_start",
                 slow ? Severity::slow : Severity::remark,
                 slow ? Sureness::likely : Sureness::possible,
                 fmt::format("small messages take {}, {} times the {} of {}: {}",
                             human_time(first->time_s), human_factor(first->time_s / expected_s),
                             human_time(expected_s), of.expected.by, words.cause),
                 std::string(words.look_at),
                 again_with(of, "", "-b 8 -e 64K -G 1"),
                 first->bytes};
}

std::optional<Symptom> in_place_apart(const Diagnosis& of) {
  constexpr std::uint64_t kLarge = 1U << 20U;
  constexpr std::size_t kEnough = 4;
  constexpr double kApart = 0.1;
  std::vector<double> ratios;
  for (const CurveRow& row : of.curve.rows) {
    if (row.in_place_s && row.bytes >= kLarge) {
      ratios.push_back(std::log(*row.in_place_s / row.time_s));
    }
  }
  const double middle = median_of(ratios);
  const auto same = std::ranges::count_if(
      ratios, [&](double each) { return each * middle > 0 && std::abs(each) > kApart / 2; });
  if (ratios.size() < kEnough || std::abs(middle) < kApart ||
      4 * static_cast<std::size_t>(same) < 3 * ratios.size()) {
    return std::nullopt;
  }
  // In place, a gather saves a copy of the rank's own data.
  const bool longer = middle > 0;
  return Symptom{"in_place_apart",
                 longer ? Severity::low : Severity::remark,
                 longer ? Sureness::likely : Sureness::possible,
                 fmt::format("in place takes {:.0f} % {} than out of place at nearly all large "
                             "sizes: {}memory or NUMA placement",
                             100 * std::abs(std::exp(middle) - 1), longer ? "more" : "less",
                             longer ? "" : "a copy that is saved, or "),
                 "which memory the buffers are in, and which NUMA node the processes run on",
                 "numactl -s",
                 kLarge};
}

constexpr std::array<ShapeCheck, 7> kShapes{noise,  falls_at_the_end, dip,       in_place_apart,
                                            hiccup, cold_start,       slow_start};

}  // namespace

std::span<const ShapeCheck> step_shapes() { return kShapes; }

}}  // namespace tutti::experiments
