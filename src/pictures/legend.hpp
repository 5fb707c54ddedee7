// What colours and lines mean: a row of swatches with words, in as many lines as it takes.
#pragma once

#include <string_view>

#include "src/pictures/svg.hpp"

namespace tutti::inline pictures {

class Legend {
 public:
  // The first line of words stands on `at`; none goes beyond `right`.
  Legend(Svg& svg, Point at, double right, double size = kTextSize);

  void line(std::string_view classes, std::string_view words);
  void arrow(std::string_view line_classes, std::string_view head_classes, std::string_view words);
  void box(std::string_view classes, std::string_view words);
  // Shades q`first` to q`last`, between two words.
  void shades(std::size_t first, std::size_t last, std::string_view least, std::string_view most);
  void words(std::string_view words);
  // Words about what follows.
  void heading(std::string_view words);

  [[nodiscard]] double bottom() const { return at_.y; }

 private:
  // Room for so much; says where it begins.
  Point place(double width);

  Svg& svg_;
  double left_;
  double right_;
  double size_;
  Point at_;
};

}  // namespace tutti::inline pictures
