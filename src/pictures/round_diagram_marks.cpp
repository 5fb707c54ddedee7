#include "src/pictures/round_diagram_marks.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::inline pictures {

void draw_sign(Svg& svg, Point at, bool reduces, std::string_view tip) {
  if (reduces) {
    svg.circle(at, kSignRadius, "paper", tip);
    std::vector<Point> ring;
    for (int i = 0; i <= 20; ++i) {
      const double turn = i * 3.14159265358979 / 10;
      ring.push_back({at.x + kSignRadius * std::cos(turn), at.y + kSignRadius * std::sin(turn)});
    }
    svg.polyline(ring, "ink");
    svg.line({at.x - kSignRadius, at.y}, {at.x + kSignRadius, at.y}, "ink");
    svg.line({at.x, at.y - kSignRadius}, {at.x, at.y + kSignRadius}, "ink");
    return;
  }
  const double half = kSignRadius - 1;
  svg.rectangle({at.x - half, at.y - half}, 2 * half, 2 * half, "paper", tip);
  svg.polyline({{at.x - half, at.y - half},
                {at.x + half, at.y - half},
                {at.x + half, at.y + half},
                {at.x - half, at.y + half},
                {at.x - half, at.y - half}},
               "ink");
}

bool Labels::put(Svg& svg, Point baseline, double room, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const double half = text_width(text, size_) / 2;
    const Frame box{baseline.x - half - 2, baseline.y - size_, baseline.x + half + 2,
                    baseline.y + 2};
    if (text.empty() || 2 * half > room || touches(box)) {
      continue;
    }
    taken_.push_back(box);
    svg.rectangle({box.left + 1, box.top + 2}, box.right - box.left - 2, size_, "paper");
    svg.text(baseline, text, Anchor::middle, "ink", size_);
    return true;
  }
  return false;
}

bool Labels::touches(const Frame& box) const {
  return std::any_of(taken_.begin(), taken_.end(), [&](const Frame& other) {
    return box.left < other.right && other.left < box.right && box.top < other.bottom &&
           other.top < box.bottom;
  });
}

}  // namespace tutti::inline pictures
