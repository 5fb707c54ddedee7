// What there is to see of a document: pictures, and the figures in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/pictures/svg.hpp"

namespace tutti::inline pictures {

// Charts are drawn as wide as this, and once more for telephones. In narrow ones names stand below
// the frame or above their bars, in place of beside them.
inline constexpr double kWide = 960;
inline constexpr double kNarrow = 356;

// Room at the top of a picture for its title, which a page has for itself.
inline constexpr double kTitleHeight = 30;

struct Picture {
  std::string id;     // "times-allreduce-16": letters, digits and hyphens
  std::string group;  // "comparison", "decision", "validation", "why", "schedule"
  std::string title;
  std::string alt;  // what one sees, in words
  double width = 0;
  double height = 0;
  std::string body;        // SVG between the tags; the title goes above kTitleHeight
  std::string csv;         // its figures
  bool has_title = false;  // it is in the body
  // The same for telephones, as svg_in_page() has it; "" where there is none.
  std::string narrow_svg;
};

// What `draw` draws at both widths: draw(width) gives a Picture.
template <typename Draw>
[[nodiscard]] Picture at_both_widths(Draw&& draw);

// "times", "all reduce": "times-all-reduce"; for ids and names of files.
[[nodiscard]] std::string id_of(std::string_view text);

// For a page, which has colours for the classes.
[[nodiscard]] std::string svg_in_page(const Picture& picture);
// With its own colours, light, on paper.
[[nodiscard]] std::string svg_file(const Picture& picture);

template <typename Draw>
Picture at_both_widths(Draw&& draw) {
  Picture picture = draw(kWide);
  picture.narrow_svg = svg_in_page(draw(kNarrow));
  return picture;
}

}  // namespace tutti::inline pictures
