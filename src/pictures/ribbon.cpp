#include "src/pictures/ribbon.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::inline pictures {

std::vector<Point> arc(Point from, Point to, double rise) {
  const auto pieces = static_cast<unsigned>(std::clamp(std::abs(to.x - from.x) / 18, 10.0, 36.0));
  // A cubic curve rises to three quarters of the height of its control points. The control points
  // are moved inwards, so that the curve starts and ends steeply.
  const double lean = (to.x - from.x) * 0.25;
  const Point first{from.x + lean, from.y - rise * 4 / 3};
  const Point second{to.x - lean, to.y - rise * 4 / 3};
  std::vector<Point> points;
  for (unsigned i = 0; i <= pieces; ++i) {
    const double t = static_cast<double>(i) / pieces;
    const double u = 1 - t;
    const double a = u * u * u;
    const double b = 3 * u * u * t;
    const double c = 3 * u * t * t;
    const double d = t * t * t;
    points.push_back({a * from.x + b * first.x + c * second.x + d * to.x,
                      a * from.y + b * first.y + c * second.y + d * to.y});
  }
  return points;
}

void draw_ribbon(Svg& svg, Point from, Point to, double rise, double width,
                 std::string_view classes, std::string_view tip) {
  std::vector<Point> line = arc(from, to, rise);
  // The head of the arrow replaces the last points of the line.
  const double head = 3.6 * width;
  while (line.size() > 2 && std::hypot(line.back().x - to.x, line.back().y - to.y) < head) {
    line.pop_back();
  }
  std::vector<Point> there;
  std::vector<Point> back;
  Point along{0, 0};
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Point next = i + 1 < line.size() ? line[i + 1] : to;
    const double length = std::max(std::hypot(next.x - line[i].x, next.y - line[i].y), 1e-9);
    along = {(next.x - line[i].x) / length, (next.y - line[i].y) / length};
    const Point aside{-along.y * width / 2, along.x * width / 2};
    there.push_back({line[i].x + aside.x, line[i].y + aside.y});
    back.push_back({line[i].x - aside.x, line[i].y - aside.y});
  }
  const Point aside{-along.y * head * 0.42, along.x * head * 0.42};
  there.push_back({line.back().x + aside.x, line.back().y + aside.y});
  there.push_back(to);
  there.push_back({line.back().x - aside.x, line.back().y - aside.y});
  there.insert(there.end(), back.rbegin(), back.rend());
  svg.polygon(there, classes, tip);
}

}  // namespace tutti::inline pictures
