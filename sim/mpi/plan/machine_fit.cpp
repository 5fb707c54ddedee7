#include "sim/mpi/plan/machine_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "schedules/error.hpp"
#include "sim/mpi/plan/statistics.hpp"

namespace tutti::mpi {

namespace {

using Passes = std::vector<double>;

// combine(a, b) of each pass.
template <typename Combine>
Passes by_pass(const Passes& a, const Passes& b, Combine&& combine) {
  TUTTI_INVARIANT(a.size() == b.size());
  Passes combined(a.size());
  std::transform(a.begin(), a.end(), b.begin(), combined.begin(), combine);
  return combined;
}

double one_more_s(double once_s, double repeated_s) {
  return (repeated_s - once_s) / (kRepeats - 1);
}

double spread_of(const Passes& passes) {
  const auto [least, most] = std::minmax_element(passes.begin(), passes.end());
  const double middle = median(passes);
  return middle > 0 ? (*most - *least) / middle : 0;
}

bool is_repeated(const Series& series, std::size_t size) {
  return size < series.repeated_s.size() && !series.repeated_s[size].empty();
}

// What a run of messages takes beside its messages.
double start_s(const std::vector<std::uint64_t>& sizes_bytes, const MessageSeries& messages) {
  constexpr std::uint64_t kSmallBytes = std::uint64_t{16} << 10U;
  std::vector<double> starts;
  for (const Series* series : {&messages.one_way, &messages.exchange}) {
    for (std::size_t size = 0; size < sizes_bytes.size(); ++size) {
      if (sizes_bytes[size] <= kSmallBytes && is_repeated(*series, size)) {
        starts.push_back(median(by_pass(
            series->once_s[size], series->repeated_s[size],
            [](double once, double repeated) { return once - one_more_s(once, repeated); })));
      }
    }
  }
  return std::max(0.0, median(starts));
}

// Pools neighbours that fall: a byte never costs less where more data are touched.
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

// A curve through samples; a sample that noise has made negative is left out.
class Drawn {
 public:
  Drawn(std::string what, const Series& series) : series_(series) { found_.what = std::move(what); }

  void add(std::uint64_t bytes, const Passes& passes) {
    const double seconds = median(passes);
    if (seconds > 0) {
      found_.samples.push_back({bytes, seconds});
      found_.spread.push_back(spread_of(passes));
      found_.working_set_bytes.push_back(
          bytes <= kNearBytes ? 0 : static_cast<double>(bytes) * series_.working_set_per_byte);
    }
  }

  CostCurve curve(std::optional<std::uint64_t> eager_bytes, std::vector<FoundSamples>& found) {
    const std::span<const Sample> all = found_.samples;
    const auto up_to = [&](std::uint64_t bytes) {
      return static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), bytes,
                                                       [](std::uint64_t most, const Sample& each) {
                                                         return most < each.bytes;
                                                       }) -
                                      all.begin());
    };
    std::size_t near = up_to(kNearBytes);
    if (near < 2) {
      near = all.size();  // large messages only: one line must do
    }
    if (near < 2) {
      throw UserError(fmt::format(
          "{}: what it takes cannot be told from what the machine does besides; take a quieter "
          "machine, a larger --budget, or more sizes (-n)",
          found_.what));
    }
    const std::size_t eager = std::min(near, eager_bytes ? up_to(*eager_bytes) : 0);
    CostCurve curve;
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
      points.push_back({found_.working_set_bytes[i],
                        std::max(last.s_per_byte, (all[i].seconds - last.fixed_s) / bytes)});
    }
    if (!points.empty()) {
      points.insert(points.begin(), {static_cast<double>(kNearBytes) * series_.working_set_per_byte,
                                     last.s_per_byte});
      curve.memory = never_falling(points);
    }
    found.push_back(std::move(found_));
    return curve;
  }

 private:
  const Series& series_;
  FoundSamples found_;
};

class Fitting {
 public:
  Fitting(const std::vector<std::uint64_t>& sizes_bytes, std::optional<std::uint64_t> eager_bytes,
          double start_s)
      : sizes_bytes_(sizes_bytes), eager_bytes_(eager_bytes) {
    fit_.curves.start_s = start_s;
  }

  CostCurve message(const std::string& what, const Series& series) {
    return draw(what, series, eager_bytes_, [&](std::size_t size) {
      if (is_repeated(series, size)) {
        return by_pass(series.once_s[size], series.repeated_s[size], one_more_s);
      }
      return less(series.once_s[size], fit_.curves.start_s);
    });
  }

  // What is left when the exchanges are taken off.
  CostCurve reduction(const std::string& what, const Series& series, const Series& exchange) {
    return draw(what, series, std::nullopt, [&](std::size_t size) {
      if (is_repeated(series, size)) {
        return by_pass(series.repeated_s[size], exchange.repeated_s[size],
                       [](double both, double messages) { return (both - messages) / kRepeats; });
      }
      const std::uint64_t bytes = sizes_bytes_[size];
      const double touched = static_cast<double>(bytes) * series.working_set_per_byte;
      const CostCurve& messages = fit_.curves.within_node.exchange;
      return less(series.once_s[size],
                  fit_.curves.start_s + messages.at(bytes, touched).seconds(bytes));
    });
  }

  CostCurve copy(const Series& series) {
    return draw("copy", series, std::nullopt, [&](std::size_t size) {
      if (!is_repeated(series, size)) {
        return series.once_s[size];
      }
      Passes passes = series.repeated_s[size];
      std::for_each(passes.begin(), passes.end(), [](double& seconds) { seconds /= kRepeats; });
      return passes;
    });
  }

  // Whether an exchange and a copy at the same time take what they take one after the other: how
  // much longer than the exchange, in copies. Of sizes of which a copy takes its time.
  [[nodiscard]] bool by_core(const MessageSeries& messages, const Series& copies) const {
    constexpr std::uint64_t kLeastBytes = std::uint64_t{8} << 10U;
    std::vector<double> parts;
    for (std::size_t size = 0; size < sizes_bytes_.size(); ++size) {
      const Passes& both = messages.exchange_and_copy.once_s[size];
      if (sizes_bytes_[size] >= kLeastBytes && !both.empty() && is_repeated(copies, size)) {
        const Passes more = by_pass(both, messages.exchange.once_s[size], std::minus<>());
        parts.push_back(median(more) * kRepeats / median(copies.repeated_s[size]));
      }
    }
    constexpr double kNeitherNor = 0.5;
    return !parts.empty() && median(parts) > kNeitherNor;
  }

  MachineFit& fit() { return fit_; }

 private:
  static Passes less(Passes passes, double seconds) {
    std::for_each(passes.begin(), passes.end(), [&](double& each) { each -= seconds; });
    return passes;
  }

  // `passes_of(size)`: seconds of one operation, by pass.
  template <typename PassesOf>
  CostCurve draw(const std::string& what, const Series& series,
                 std::optional<std::uint64_t> eager_bytes, PassesOf&& passes_of) {
    Drawn drawn(what, series);
    for (std::size_t size = 0; size < sizes_bytes_.size(); ++size) {
      if (!series.once_s[size].empty()) {
        drawn.add(sizes_bytes_[size], passes_of(size));
      }
    }
    return drawn.curve(eager_bytes, fit_.found);
  }

  const std::vector<std::uint64_t>& sizes_bytes_;
  std::optional<std::uint64_t> eager_bytes_;
  MachineFit fit_;
};

}  // namespace

const FoundSamples& MachineFit::of(const std::string& what) const {
  const auto at = std::find_if(found.begin(), found.end(),
                               [&](const FoundSamples& each) { return each.what == what; });
  TUTTI_INVARIANT(at != found.end());
  return *at;
}

MachineFit fit_machine(const std::vector<std::uint64_t>& sizes_bytes, const NearSeries& near,
                       const MessageSeries* far, std::optional<std::uint64_t> eager_bytes) {
  Fitting fitting(sizes_bytes, eager_bytes, start_s(sizes_bytes, near.messages));
  CostCurves& curves = fitting.fit().curves;
  const auto take = [&](const MessageSeries& series, MessageCurves& messages,
                        const std::string& where) {
    messages.one_way = fitting.message(where + ".one_way", series.one_way);
    messages.exchange = fitting.message(where + ".exchange", series.exchange);
    messages.by_core = fitting.by_core(series, near.local.copy);
  };
  take(near.messages, curves.within_node, "within_node");
  if (far != nullptr) {
    take(*far, curves.between_nodes, "between_nodes");
  }
  const Series& exchange = near.messages.exchange;
  curves.reduce = fitting.reduction("reduce", near.local.reduce, exchange);
  curves.reduce_sent = fitting.reduction("reduce_sent", near.local.reduce_sent, exchange);
  curves.copy = fitting.copy(near.local.copy);
  return std::move(fitting.fit());
}

}  // namespace tutti::mpi
