// Axes of charts: maps values to positions, and draws ticks and labels.
#pragma once

#include <string>
#include <vector>

#include "src/pictures/svg.hpp"

namespace tutti { inline namespace pictures {

struct Tick {
  double value = 0;
  std::string label;  // "" for a tick without a label
};

// Maps values from `least` to `most` to positions from `from` to `to`, linearly or logarithmically.
class Scale {
 public:
  static Scale linear(double least, double most, double from, double to);
  // Values that are not positive are placed at `from`.
  static Scale logarithmic(double least, double most, double from, double to);

  [[nodiscard]] double operator()(double value) const;
  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] double most() const { return most_; }
  [[nodiscard]] bool is_logarithmic() const { return logarithmic_; }

 private:
  Scale(bool logarithmic, double least, double most, double from, double to);

  bool logarithmic_;
  double least_;
  double most_;
  double from_;
  double to_;
};

// Returns about `about` ticks at round times, such as "10 us". On a logarithmic scale, these are
// powers of ten, with 2 and 5 times these powers in between if there is room. On a linear scale, or
// if the logarithmic scale is too short for two labels, they are the multiples of 1, 2 or 5 times a
// power of ten.
[[nodiscard]] std::vector<Tick> time_ticks(const Scale& scale, unsigned about);
// Returns ticks at powers of two on a logarithmic scale, such as "64 KiB"; if fewer than two are on
// the scale, returns ticks at its two ends.
[[nodiscard]] std::vector<Tick> byte_ticks(const Scale& scale, unsigned about);

// The area of a chart inside its axes. Each axis is drawn with its grid lines, ticks and labels.
struct Frame {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};
void draw_horizontal_axis(Svg& svg, const Frame& frame, const Scale& scale,
                          const std::vector<Tick>& ticks, std::string_view title);
void draw_vertical_axis(Svg& svg, const Frame& frame, const Scale& scale,
                        const std::vector<Tick>& ticks, std::string_view title);

// Format a value with as few digits as a tick label needs: "3 us", "64 KiB".
[[nodiscard]] std::string short_time(double seconds);
[[nodiscard]] std::string short_bytes(double bytes);

// Returns positions for labels, close to their best positions, `wanted`, and in the same order. As
// far as there is room, the labels are at least `apart` from each other, and between `least` and
// `most`.
[[nodiscard]] std::vector<double> places_apart(const std::vector<double>& wanted, double apart,
                                               double least, double most);

}}  // namespace tutti::pictures
