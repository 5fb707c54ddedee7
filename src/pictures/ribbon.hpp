// Draws curved arrows as filled areas, so that the CSS classes for areas (see svg.hpp) can colour
// them.
#pragma once

#include <string_view>
#include <vector>

#include "src/pictures/svg.hpp"

namespace tutti::inline pictures {

// Returns the points of an arc between two points of a horizontal line. `rise`: height above the
// line, or below it if negative.
[[nodiscard]] std::vector<Point> arc(Point from, Point to, double rise);

// Draws an arrow along the arc() with the same `from`, `to` and `rise`.
void draw_ribbon(Svg& svg, Point from, Point to, double rise, double width,
                 std::string_view classes, std::string_view tip);

}  // namespace tutti::inline pictures
