// Computes the curves of a chart of times.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/pictures/svg.hpp"
#include "src/pictures/times_table.hpp"

namespace tutti { inline namespace pictures {

struct Curve {
  std::string label;
  std::vector<std::pair<double, double>> points;  // pairs of bytes and seconds
  std::size_t colour = kSeriesColours;            // index of a series colour; kSeriesColours: grey
  std::optional<Dashes> dashes = std::nullopt;
  bool dots = true;
  bool squares_only = false;  // measured times, drawn without a line; or others: see `squares`
  bool is_limit = false;      // lower bounds, drawn as a dark line
  std::string_view squares = "measured";  // what squares are
  // Pairs of bytes and seconds by the exact formula; empty unless the formula differs from the
  // simulated times by more than kOff at some size.
  std::vector<std::pair<double, double>> formula = {};
};

// A formula is drawn if it differs from a simulated time by more than this share.
inline constexpr double kOff = 0.05;

// Returns the curves for the number of ranks at the index `rank` of TimesTable::ranks. The
// algorithms that win the most cells, or come closest to winning one, have colours; all others are
// grey. The last curve is the limit, if there are lower bounds.
[[nodiscard]] std::vector<Curve> curves_of(const TimesTable& table, std::size_t rank);

// Makes a curve dashed if it lies on an earlier curve, so that the earlier curve is visible between
// the dashes. Returns a text that lists these curves.
[[nodiscard]] std::string tell_apart(std::vector<Curve>& curves);

}}  // namespace tutti::pictures
