#include "sim/mpi/plan/found_samples.hpp"

#include <algorithm>
#include <span>

#include "sim/mpi/plan/statistics.hpp"

namespace tutti::mpi {

namespace {

// A difference of two times, which may be little more than noise.
struct TimeDifference {
  double seconds = 0;
  double apart_s = 0;
  bool rounds_suffice = false;  // true if there are enough rounds to compute apart_s

  [[nodiscard]] bool is_noise() const {
    return seconds <= 0 || (rounds_suffice && apart_s > seconds);
  }
};

// Returns the difference between the fastest times of `a` and `b`, divided by `parts`.
TimeDifference difference(const RoundTimes& a, const RoundTimes& b, std::uint32_t parts) {
  return {(fastest_s(a) - fastest_s(b)) / parts, (apart_s(a) + apart_s(b)) / parts,
          std::min(a.size(), b.size()) >= kAlikeRounds};
}

TimeDifference one_of_several(const RoundTimes& once, const RoundTimes& repeated) {
  return difference(repeated, once, kRepeats - 1);
}

TimeDifference less(const RoundTimes& once, double seconds) {
  return {fastest_s(once) - seconds, apart_s(once), once.size() >= kAlikeRounds};
}

bool is_repeated(const Series& series, std::size_t size) {
  return size < series.repeated_s.size() && !series.repeated_s[size].empty();
}

// Merges neighbouring points whose prices fall, because a byte never costs less if more data are
// touched.
std::vector<MemoryPoint> never_falling(const std::vector<MemoryPoint>& points) {
  struct Pool {
    double sum = 0;
    std::size_t count = 0;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (const MemoryPoint& point : points) {
    pools.push_back({point.s_per_byte, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      pools[pools.size() - 2].sum += pools.back().sum;
      pools[pools.size() - 2].count += pools.back().count;
      pools.pop_back();
    }
  }
  std::vector<MemoryPoint> rising;
  for (const Pool& pool : pools) {
    for (std::size_t i = 0; i < pool.count; ++i) {
      rising.push_back({points[rising.size()].working_set_bytes, pool.mean()});
    }
  }
  return rising;
}

// Collects found_of(size) for each size that was measured, unless the result cannot be
// distinguished from noise.
template <typename FoundOf>
FoundSamples samples_of(const std::string& what, const std::vector<std::uint64_t>& sizes_bytes,
                        const Series& series, FoundOf&& found_of) {
  FoundSamples found;
  found.what = what;
  for (std::size_t size = 0; size < sizes_bytes.size(); ++size) {
    if (series.once_s[size].empty()) {
      continue;
    }
    const std::uint64_t bytes = sizes_bytes[size];
    const std::optional<TimeDifference> each = found_of(size);
    if (!each || each->is_noise()) {
      ++found.lost;
      continue;
    }
    found.samples.push_back({bytes, each->seconds});
    found.spread.push_back(each->apart_s / each->seconds);
    found.working_set_bytes.push_back(
        bytes <= kNearBytes ? 0 : static_cast<double>(bytes) * series.working_set_per_byte);
  }
  return found;
}

}  // namespace

double start_s(const std::vector<std::uint64_t>& sizes_bytes, const MessageSeries& messages) {
  constexpr std::uint64_t kSmallBytes = std::uint64_t{16} << 10U;
  std::vector<double> starts;
  for (const Series* series : {&messages.one_way, &messages.exchange}) {
    for (std::size_t size = 0; size < sizes_bytes.size(); ++size) {
      if (sizes_bytes[size] <= kSmallBytes && is_repeated(*series, size)) {
        const RoundTimes& once = series->once_s[size];
        starts.push_back(fastest_s(once) - one_of_several(once, series->repeated_s[size]).seconds);
      }
    }
  }
  return std::max(0.0, median(starts));
}

FoundSamples message_samples(const std::string& what, const std::vector<std::uint64_t>& sizes_bytes,
                             const Series& series, double start_s) {
  return samples_of(what, sizes_bytes, series,
                    [&](std::size_t size) -> std::optional<TimeDifference> {
                      return is_repeated(series, size)
                                 ? one_of_several(series.once_s[size], series.repeated_s[size])
                                 : less(series.once_s[size], start_s);
                    });
}

FoundSamples reduction_samples(const std::string& what,
                               const std::vector<std::uint64_t>& sizes_bytes, const Series& series,
                               const Series& exchange, const CostCurve& exchange_curve,
                               double start_s) {
  return samples_of(
      what, sizes_bytes, series, [&](std::size_t size) -> std::optional<TimeDifference> {
        if (is_repeated(series, size) && is_repeated(exchange, size)) {
          return difference(series.repeated_s[size], exchange.repeated_s[size], kRepeats);
        }
        if (exchange_curve.empty()) {
          return std::nullopt;
        }
        const std::uint64_t bytes = sizes_bytes[size];
        const double touched = static_cast<double>(bytes) * series.working_set_per_byte;
        return less(series.once_s[size],
                    start_s + exchange_curve.at(bytes, touched).seconds(bytes));
      });
}

FoundSamples copy_samples(const std::vector<std::uint64_t>& sizes_bytes, const Series& series) {
  return samples_of("copy", sizes_bytes, series,
                    [&](std::size_t size) -> std::optional<TimeDifference> {
                      if (!is_repeated(series, size)) {
                        return less(series.once_s[size], 0);
                      }
                      const RoundTimes& several = series.repeated_s[size];
                      return difference(several, RoundTimes(several.size(), 0.0), kRepeats);
                    });
}

CostCurve curve_through(const FoundSamples& found, double working_set_per_byte,
                        std::optional<std::uint64_t> eager_bytes) {
  const std::span<const Sample> all = found.samples;
  const auto up_to = [&](std::uint64_t bytes) {
    return static_cast<std::size_t>(
        std::upper_bound(all.begin(), all.end(), bytes,
                         [](std::uint64_t most, const Sample& each) { return most < each.bytes; }) -
        all.begin());
  };
  std::size_t near = up_to(kNearBytes);
  if (near < 2) {
    // There are only large messages, so a single line is fitted.
    near = all.size();
  }
  CostCurve curve;
  if (near < 2) {
    return curve;
  }
  const std::size_t eager = std::min(near, eager_bytes ? up_to(*eager_bytes) : 0);
  for (const auto part : {all.first(eager), all.subspan(eager, near - eager)}) {
    if (!part.empty()) {
      const auto pieces = fit_curve(part).pieces;
      curve.pieces.insert(curve.pieces.end(), pieces.begin(), pieces.end());
    }
  }
  const CostPiece& last = curve.pieces.back();
  std::vector<MemoryPoint> points;
  for (std::size_t i = near; i < all.size(); ++i) {
    const auto bytes = static_cast<double>(all[i].bytes);
    points.push_back({found.working_set_bytes[i],
                      std::max(last.s_per_byte, (all[i].seconds - last.fixed_s) / bytes)});
  }
  if (!points.empty()) {
    points.insert(points.begin(),
                  {static_cast<double>(kNearBytes) * working_set_per_byte, last.s_per_byte});
    curve.memory = never_falling(points);
  }
  return curve;
}

}  // namespace tutti::mpi
