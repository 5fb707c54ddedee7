// From values to places, and the marks and words beside them.
#pragma once

#include <string>
#include <vector>

#include "src/pictures/svg.hpp"

namespace tutti::inline pictures {

struct Tick {
  double value = 0;
  std::string label;  // "" between two that have one
};

// A line of places for values: linear, or by logarithms.
class Scale {
 public:
  static Scale linear(double least, double most, double from, double to);
  // Values that are not positive stand at `from`.
  static Scale logarithmic(double least, double most, double from, double to);

  [[nodiscard]] double operator()(double value) const;
  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double to() const { return to_; }
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

// Round times, "10 us": at decades of a logarithmic scale, at 1, 2 or 5 times one of a linear one.
[[nodiscard]] std::vector<Tick> time_ticks(const Scale& scale, unsigned about);
// Powers of two of a logarithmic scale, "64 KiB".
[[nodiscard]] std::vector<Tick> byte_ticks(const Scale& scale, unsigned about);
// "20 %", on a linear scale of shares.
[[nodiscard]] std::vector<Tick> percent_ticks(const Scale& scale, unsigned about);

// The frame of a chart: grid, ticks and words along both axes.
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

// "3 us", "64 KiB" with as few digits as a mark on an axis needs.
[[nodiscard]] std::string short_time(double seconds);
[[nodiscard]] std::string short_bytes(double bytes);

// Labels that would like to stand at these places, `apart` from each other: where they stand,
// between `least` and `most` as far as they fit. In the order of `wanted`.
[[nodiscard]] std::vector<double> places_apart(const std::vector<double>& wanted, double apart,
                                               double least, double most);

}  // namespace tutti::inline pictures
