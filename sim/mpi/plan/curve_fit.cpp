#include "sim/mpi/plan/curve_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "sim/mpi/plan/statistics.hpp"

namespace tutti::mpi {

namespace {

// Fits a line by weighted least squares of the relative distances.
CostPiece weighted_line(std::span<const Sample> samples, const std::vector<double>& weights) {
  double w = 0;
  double wx = 0;
  double wy = 0;
  double wxx = 0;
  double wxy = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto x = static_cast<double>(samples[i].bytes);
    const double y = samples[i].seconds;
    const double weight = weights[i] / (y * y);
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  const double determinant = w * wxx - wx * wx;
  CostPiece line;
  line.from_bytes = samples.front().bytes;
  line.s_per_byte = determinant > 0 ? (w * wxy - wx * wy) / determinant : 0;
  line.fixed_s = (wy - line.s_per_byte * wx) / w;
  return line;
}

double distance(const Sample& sample, const CostPiece& line) {
  return line.seconds(sample.bytes) / sample.seconds - 1;
}

// The start-up or the slope of a line is a rounding error if it contributes less than this share to
// the time of every sample.
constexpr double kRounding = 1e-9;

CostPiece without_rounding(std::span<const Sample> samples, CostPiece line) {
  double fixed = 0;
  double per_byte = 0;
  for (const Sample& sample : samples) {
    fixed = std::max(fixed, std::abs(line.fixed_s) / sample.seconds);
    const double bytes_s = std::abs(line.s_per_byte) * static_cast<double>(sample.bytes);
    per_byte = std::max(per_byte, bytes_s / sample.seconds);
  }
  line.fixed_s = fixed < kRounding ? 0 : line.fixed_s;
  line.s_per_byte = per_byte < kRounding ? 0 : line.s_per_byte;
  return line;
}

CostPiece robust_line(std::span<const Sample> samples) {
  std::vector<double> weights(samples.size(), 1);
  CostPiece line = weighted_line(samples, weights);
  constexpr int kRounds = 20;
  constexpr double kHuber = 1.345;  // 95 % efficiency for normally distributed distances
  constexpr double kMadToSigma = 1.4826;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> apart;
    for (const Sample& sample : samples) {
      apart.push_back(std::abs(distance(sample, line)));
    }
    const double limit = kHuber * kMadToSigma * std::max(median(apart), 1e-6);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      weights[i] = apart[i] <= limit ? 1 : limit / apart[i];
    }
    line = weighted_line(samples, weights);
  }
  return without_rounding(samples, line);
}

// Fits the best line whose start-up and slope are not negative.
CostPiece possible_line(std::span<const Sample> samples) {
  CostPiece line = robust_line(samples);
  if (line.fixed_s >= 0 && line.s_per_byte >= 0) {
    return line;
  }
  std::vector<double> ratios;
  for (const Sample& sample : samples) {
    ratios.push_back(line.s_per_byte < 0 ? sample.seconds
                                         : sample.seconds / static_cast<double>(sample.bytes));
  }
  const double middle = median(ratios);
  (line.s_per_byte < 0 ? line.fixed_s : line.s_per_byte) = middle;
  (line.fixed_s == middle ? line.s_per_byte : line.fixed_s) = 0;
  return line;
}

double squares(std::span<const Sample> samples, const CostPiece& line) {
  double sum = 0;
  for (const Sample& sample : samples) {
    // Distances are limited, so that an outlier does not get a piece of its own.
    constexpr double kMost = 0.5;
    sum += std::pow(std::min(kMost, std::abs(distance(sample, line))), 2);
  }
  return sum;
}

}  // namespace

CostPiece fit_line(std::span<const Sample> samples) {
  TUTTI_INVARIANT(samples.size() >= 2 && samples.front().bytes != samples.back().bytes);
  return robust_line(samples);
}

CostCurve fit_curve(std::span<const Sample> samples) {
  TUTTI_INVARIANT(!samples.empty());
  const std::size_t n = samples.size();
  if (n == 1) {
    return {{{samples[0].bytes, samples[0].seconds, 0}}, {}};
  }
  // best[k][j] is the least cost of fitting k + 1 pieces to the first j samples, and cut[k][j] is
  // the first sample of the last of these pieces.
  std::vector<std::vector<CostPiece>> lines(n, std::vector<CostPiece>(n + 1));
  std::vector<std::vector<double>> cost(n, std::vector<double>(n + 1));
  const std::size_t least = std::min<std::size_t>(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + least; j <= n; ++j) {
      lines[i][j] = possible_line(samples.subspan(i, j - i));
      cost[i][j] = squares(samples.subspan(i, j - i), lines[i][j]);
    }
  }
  constexpr std::size_t kMostPieces = 8;
  constexpr double kTolerance = 0.01;
  const std::size_t most = std::min(kMostPieces, n / least);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> best(most, std::vector<double>(n + 1, kInfinity));
  std::vector<std::vector<std::size_t>> cut(most, std::vector<std::size_t>(n + 1, 0));
  std::size_t pieces = 0;
  double least_criterion = kInfinity;
  for (std::size_t k = 0; k < most; ++k) {
    for (std::size_t j = (k + 1) * least; j <= n; ++j) {
      if (k == 0) {
        best[0][j] = cost[0][j];
        continue;
      }
      for (std::size_t i = k * least; i + least <= j; ++i) {
        const double sum = best[k - 1][i] + cost[i][j];
        if (sum < best[k][j]) {
          best[k][j] = sum;
          cut[k][j] = i;
        }
      }
    }
    const auto count = static_cast<double>(n);
    const double criterion = count * std::log(best[k][n] / count + kTolerance * kTolerance) +
                             2 * static_cast<double>(k) * std::log(count);
    if (criterion < least_criterion) {
      least_criterion = criterion;
      pieces = k;
    }
  }
  CostCurve curve;
  for (std::size_t end = n;; --pieces) {
    const std::size_t begin = cut[pieces][end];
    curve.pieces.insert(curve.pieces.begin(), lines[begin][end]);
    end = begin;
    if (pieces == 0) {
      return curve;
    }
  }
}

Residuals residuals(std::span<const Sample> samples, std::span<const double> working_set_bytes,
                    const CostCurve& curve) {
  TUTTI_INVARIANT(samples.size() == working_set_bytes.size());
  std::vector<double> apart;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    apart.push_back(
        std::abs(distance(samples[i], curve.at(samples[i].bytes, working_set_bytes[i]))));
  }
  return {median(apart), apart.empty() ? 0 : *std::max_element(apart.begin(), apart.end())};
}

}  // namespace tutti::mpi
