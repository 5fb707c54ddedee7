// Small marks in the picture of a schedule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/pictures/axis.hpp"
#include "src/pictures/svg.hpp"

namespace tutti::inline pictures {

inline constexpr double kSignRadius = 6.5;
// Draws a local operation of a rank: a circle with a plus for a reduction, a square for a copy.
void draw_sign(Svg& svg, Point at, bool reduces, std::string_view tip);

// Draws labels, none of which overlaps another.
class Labels {
 public:
  explicit Labels(double size) : size_(size) {}

  // Draws the first of the texts that fits. Returns false if none does.
  bool put(Svg& svg, Point baseline, double room, const std::vector<std::string>& texts);

 private:
  [[nodiscard]] bool touches(const Frame& box) const;

  double size_;
  std::vector<Frame> taken_;
};

}  // namespace tutti::inline pictures
