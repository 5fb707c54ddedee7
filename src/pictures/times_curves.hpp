// The curves of a chart of times, before anything is drawn.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/pictures/svg.hpp"
#include "src/pictures/times_table.hpp"

namespace tutti::inline pictures {

struct Curve {
  std::string label;
  std::vector<std::pair<double, double>> points;  // bytes, seconds
  std::size_t colour = kSeriesColours;            // kSeriesColours: grey
  std::optional<Dashes> dashes = std::nullopt;
  bool dots = true;
  bool squares_only = false;  // measured: no line
  // What the exact formula says, where that is off somewhere.
  std::vector<std::pair<double, double>> formula = {};
};

// A formula that is off by more is drawn beside what was simulated.
inline constexpr double kOff = 0.05;

// Of one number of ranks. Colours go to those that are the best somewhere, or nearly so; the others
// are grey.
[[nodiscard]] std::vector<Curve> curves_of(const TimesTable& table, std::size_t rank);

// Gives dashes to those that lie on others, so that each is seen in turn; says who, in words.
[[nodiscard]] std::string tell_apart(std::vector<Curve>& curves);

}  // namespace tutti::inline pictures
