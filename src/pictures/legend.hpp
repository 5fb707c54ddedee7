// Draws the legend of a picture: colour samples (swatches) with their meaning, in as many lines as
// needed.
#pragma once

#include <string_view>

#include "src/pictures/svg.hpp"

namespace tutti { inline namespace pictures {

class Legend {
 public:
  // The baseline of the first line is at `at`. No line extends beyond `right`.
  Legend(Svg& svg, Point at, double right, double size = kTextSize);

  void line(std::string_view classes, std::string_view words);
  void arrow(std::string_view line_classes, std::string_view head_classes, std::string_view words);
  void box(std::string_view classes, std::string_view words);
  // Adds a scale of shades from q`first` to q`last`, between the words `least` and `most`.
  void shades(std::size_t first, std::size_t last, std::string_view least, std::string_view most);
  void words(std::string_view words);
  // Adds a text that introduces the following entries.
  void heading(std::string_view words);

  [[nodiscard]] double bottom() const { return at_.y; }

 private:
  // Reserves space for an entry of this width, in a new line if necessary. Returns where the entry
  // begins.
  Point place(double width);

  Svg& svg_;
  double left_;
  double right_;
  double size_;
  Point at_;
};

}}  // namespace tutti::pictures
