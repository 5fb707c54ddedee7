#include "src/pictures/legend.hpp"

#include <fmt/format.h>

namespace tutti { inline namespace pictures {

namespace {

constexpr double kSwatch = 22;  // width of a swatch and of the gap between swatch and text
constexpr double kShade = 18;

}  // namespace

Legend::Legend(Svg& svg, Point at, double right, double size)
    : svg_(svg), left_(at.x), right_(right), size_(size), at_(at) {}

Point Legend::place(double width) {
  if (at_.x > left_ && at_.x + width > right_) {
    at_ = {left_, at_.y + size_ * 1.7};
  }
  const Point here = at_;
  at_.x += width + size_ * 1.5;
  return here;
}

void Legend::line(std::string_view classes, std::string_view words) {
  const Point here = place(kSwatch + text_width(words, size_));
  const double y = here.y - size_ * 0.35;
  svg_.line({here.x, y}, {here.x + kSwatch - 6, y}, classes);
  svg_.text({here.x + kSwatch, here.y}, words, Anchor::start, "ink", size_);
}

void Legend::arrow(std::string_view line_classes, std::string_view head_classes,
                   std::string_view words) {
  const Point here = place(kSwatch + text_width(words, size_));
  const double y = here.y - size_ * 0.35;
  const double end = here.x + kSwatch - 5;
  svg_.line({here.x, y}, {end - 4, y}, line_classes);
  svg_.polygon({{end, y}, {end - 8, y - 3.5}, {end - 8, y + 3.5}}, head_classes);
  svg_.text({here.x + kSwatch, here.y}, words, Anchor::start, "ink", size_);
}

void Legend::box(std::string_view classes, std::string_view words) {
  const Point here = place(kSwatch + text_width(words, size_));
  svg_.rectangle({here.x, here.y - size_ * 0.8}, kSwatch - 6, size_ * 0.9, classes);
  svg_.text({here.x + kSwatch, here.y}, words, Anchor::start, "ink", size_);
}

void Legend::shades(std::size_t first, std::size_t last, std::string_view least,
                    std::string_view most) {
  const double band = kShade * static_cast<double>(last - first + 1);
  const double before = text_width(least, size_) + 6;
  const Point here = place(before + band + 6 + text_width(most, size_));
  svg_.text(here, least, Anchor::start, "ink", size_);
  double x = here.x + before;
  for (std::size_t shade = first; shade <= last; ++shade) {
    svg_.rectangle({x, here.y - size_ * 0.8}, kShade, size_ * 0.9, fmt::format("q{}", shade));
    x += kShade;
  }
  svg_.text({x + 6, here.y}, most, Anchor::start, "ink", size_);
}

void Legend::heading(std::string_view words) {
  this->words(words);
  at_.x -= size_;
}

void Legend::words(std::string_view words) {
  svg_.text(place(text_width(words, size_)), words, Anchor::start, "ink", size_);
}

}}  // namespace tutti::pictures
