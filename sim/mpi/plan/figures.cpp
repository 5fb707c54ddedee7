#include "sim/mpi/plan/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/error.hpp"
#include "sim/mpi/plan/statistics.hpp"

namespace tutti::mpi {

namespace {

// A line that is fitted once, without intervals. The values are missing if there are samples of
// fewer than two sizes.
struct Line {
  std::optional<double> fixed_s;
  std::optional<double> s_per_byte;
};

Line line_through(const std::vector<Sample>& samples) {
  if (samples.size() < 2 || samples.front().bytes == samples.back().bytes) {
    return {};
  }
  const CostPiece line = fit_line(samples);
  return {line.fixed_s, line.s_per_byte};
}

// The figures in the order of names_of().
using Values = std::vector<std::optional<double>>;

std::vector<std::string> names_of(bool far) {
  std::vector<std::string> names{"start_s", "within_node.alpha_s", "within_node.beta_s_per_byte",
                                 "gamma_s_per_byte", "copy_s_per_byte"};
  if (far) {
    names.insert(names.end(), {"between_nodes.alpha_s", "between_nodes.beta_s_per_byte"});
  }
  return names;
}

// samples_of(found) returns the samples to fit.
template <typename SamplesOf>
Values values_of(const std::vector<std::uint64_t>& sizes_bytes, const NearSeries& near,
                 const MessageSeries* far, std::optional<std::uint64_t> eager_bytes,
                 SamplesOf&& samples_of) {
  const double start = start_s(sizes_bytes, near.messages);
  const auto one_way = [&](const MessageSeries& messages) {
    return line_through(
        samples_of(message_samples("one_way", sizes_bytes, messages.one_way, start)));
  };
  const Series& exchange = near.messages.exchange;
  const CostCurve exchange_curve =
      curve_through(message_samples("exchange", sizes_bytes, exchange, start),
                    exchange.working_set_per_byte, eager_bytes);
  const Line within = one_way(near.messages);
  const Line reduce = line_through(samples_of(reduction_samples(
      "reduce", sizes_bytes, near.local.reduce, exchange, exchange_curve, start)));
  const Line copy = line_through(samples_of(copy_samples(sizes_bytes, near.local.copy)));
  Values values{start, within.fixed_s, within.s_per_byte, reduce.s_per_byte, copy.s_per_byte};
  if (far != nullptr) {
    const Line between = one_way(*far);
    values.insert(values.end(), {between.fixed_s, between.s_per_byte});
  }
  return values;
}

Series drawn_anew(const Series& series, std::mt19937& random) {
  Series drawn;
  drawn.working_set_per_byte = series.working_set_per_byte;
  for (const RoundTimes& rounds : series.once_s) {
    drawn.once_s.push_back(redrawn(rounds, random));
  }
  for (const RoundTimes& rounds : series.repeated_s) {
    drawn.repeated_s.push_back(redrawn(rounds, random));
  }
  return drawn;
}

MessageSeries drawn_anew(const MessageSeries& messages, std::mt19937& random) {
  return {drawn_anew(messages.one_way, random), drawn_anew(messages.exchange, random), {}};
}

std::vector<Sample> redrawn_sizes(const FoundSamples& found, std::mt19937& random) {
  std::vector<Sample> drawn;
  for (std::size_t i = 0; i < found.samples.size(); ++i) {
    drawn.push_back(found.samples[random() % found.samples.size()]);
  }
  std::sort(drawn.begin(), drawn.end(),
            [](const Sample& a, const Sample& b) { return a.bytes < b.bytes; });
  return drawn;
}

void set_interval(Figure& figure, const std::vector<double>& drawn) {
  constexpr double kOutside = 0.025;
  const double value = *figure.value;
  const double low = quantile(drawn, kOutside);
  const double high = quantile(drawn, 1 - kOutside);
  figure.low = std::max(0.0, std::min({value, low, 2 * value - high}));
  figure.high = std::max({value, high, 2 * value - low});
}

}  // namespace

const Figure& Figures::of(const std::string& name) const {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Figure& figure) { return figure.name == name; });
  TUTTI_INVARIANT(at != all.end());
  return *at;
}

Figures figures_of(const std::vector<std::uint64_t>& sizes_bytes, const NearSeries& near,
                   const MessageSeries* far, std::optional<std::uint64_t> eager_bytes) {
  const Values values = values_of(sizes_bytes, near, far, eager_bytes,
                                  [](const FoundSamples& found) { return found.samples; });
  constexpr int kDraws = 200;
  constexpr unsigned kSeed = 20'040'211;  // arbitrary, but fixed to make draws repeatable
  std::mt19937 random(kSeed);
  std::vector<std::vector<double>> drawn(values.size());
  for (int draw = 0; draw < kDraws; ++draw) {
    const NearSeries near_drawn{
        drawn_anew(near.messages, random),
        {drawn_anew(near.local.reduce, random), {}, drawn_anew(near.local.copy, random)}};
    std::optional<MessageSeries> far_drawn;
    if (far != nullptr) {
      far_drawn = drawn_anew(*far, random);
    }
    const Values each =
        values_of(sizes_bytes, near_drawn, far_drawn ? &*far_drawn : nullptr, eager_bytes,
                  [&](const FoundSamples& found) { return redrawn_sizes(found, random); });
    for (std::size_t i = 0; i < each.size(); ++i) {
      if (each[i]) {
        drawn[i].push_back(*each[i]);
      }
    }
  }
  Figures figures;
  const std::vector<std::string> names = names_of(far != nullptr);
  for (std::size_t i = 0; i < values.size(); ++i) {
    Figure figure;
    figure.name = names[i];
    figure.value = values[i];
    figure.needed = i != 0;
    if (figure.needed && figure.value && *figure.value <= 0) {
      figure.value.reset();
    }
    if (figure.value) {
      set_interval(figure, drawn[i]);
    }
    figures.all.push_back(std::move(figure));
  }
  return figures;
}

void cover(const RoundTimes& rounds, Coverage& coverage) {
  ++coverage.times;
  coverage.missing += rounds.empty() ? 1 : 0;
  coverage.few += !rounds.empty() && rounds.size() < kAlikeRounds ? 1 : 0;
  coverage.settled += settled(rounds) ? 1 : 0;
}

std::vector<std::string> doubts(const MachineFit& fit, const Figures& figures,
                                const Coverage& coverage) {
  constexpr double kEnoughSettled = 0.9;
  constexpr double kMostUnsure = 0.5;
  constexpr double kPercent = 100;
  std::vector<std::string> doubts;
  const auto times = static_cast<double>(coverage.times);
  if (coverage.missing > 0) {
    doubts.push_back(fmt::format("{} of the {} times were not measured within the time budget",
                                 coverage.missing, coverage.times));
  }
  const bool too_few_settled = static_cast<double>(coverage.settled) < kEnoughSettled * times;
  if (too_few_settled && coverage.few > 0) {
    doubts.push_back(
        fmt::format("{} of the {} times were measured in fewer than {} rounds within the time "
                    "budget, too few to see whether they agree",
                    coverage.few, coverage.times, kAlikeRounds));
  }
  if (too_few_settled && coverage.missing + coverage.few + coverage.settled < coverage.times) {
    doubts.push_back(
        fmt::format("only {:.0f} % of the times agree in {} rounds (within {:.0f} %), but {:.0f} % "
                    "are required",
                    kPercent * static_cast<double>(coverage.settled) / times, kAlikeRounds,
                    kPercent * kAlikeWithin, kPercent * kEnoughSettled));
  }
  for (const Figure& figure : figures.all) {
    if (!figure.needed) {
      continue;
    }
    if (!figure.value) {
      doubts.push_back(fmt::format("{} cannot be distinguished from noise", figure.name));
    } else if (std::max(figure.high - *figure.value, *figure.value - figure.low) >
               kMostUnsure * *figure.value) {
      doubts.push_back(fmt::format("{} is known only to be between {:.3g} and {:.3g}", figure.name,
                                   figure.low, figure.high));
    }
  }
  for (const FoundSamples& found : fit.found) {
    if (found.samples.size() < 2) {
      doubts.push_back(
          fmt::format("the time of {} cannot be distinguished from noise", found.what));
    }
  }
  return doubts;
}

}  // namespace tutti::mpi
