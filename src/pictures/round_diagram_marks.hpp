// Small marks on the picture of a schedule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/pictures/axis.hpp"
#include "src/pictures/svg.hpp"

namespace tutti::inline pictures {

// What a rank does by itself: a circle with a plus reduces, a square copies.
inline constexpr double kSignRadius = 6.5;
void draw_sign(Svg& svg, Point at, bool reduces, std::string_view tip);

// Labels that touch none that is there already.
class Labels {
 public:
  explicit Labels(double size) : size_(size) {}

  // The first of the texts that fits; says whether one did.
  bool put(Svg& svg, Point baseline, double room, const std::vector<std::string>& texts);

 private:
  [[nodiscard]] bool touches(const Frame& box) const;

  double size_;
  std::vector<Frame> taken_;
};

}  // namespace tutti::inline pictures
