// Pictures as SVG 1.1: shapes and real text, coloured by classes alone, so that one and the same
// picture is light or dark in a page, and stands for itself in a file.
//
// Classes: ink (text and strong lines), muted (text and axes), grid (thin lines), paper, accent,
// good, bad; s0 to s9 (lines of series) and f0 to f9 (their areas); q0 to q8 (areas, light to
// strong); dash2 (fine dashes). What is pointed at shows its data-tip, in a page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline pictures {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Anchor : std::uint8_t { start, middle, end };

inline constexpr double kTextSize = 12;
inline constexpr std::size_t kSeriesColours = 10;
inline constexpr std::size_t kShades = 9;

// As text and attributes of XML want it; what is no UTF-8, and characters that XML does not know,
// become U+FFFD.
[[nodiscard]] std::string xml_escaped(std::string_view text);

// About as wide as it will be: fonts differ by a tenth.
[[nodiscard]] double text_width(std::string_view text, double size = kTextSize);
// Shortened in the middle until it fits.
[[nodiscard]] std::string fitted(std::string_view text, double width, double size = kTextSize);
// Lines of whole words, as wide as this, and no more than so many: the last is shortened.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, double width, double size,
                                               std::size_t most);

// A line that is drawn for so many pixels in each period, from an offset on.
struct Dashes {
  double drawn = 0;
  double period = 0;
  double offset = 0;
};

class Svg {
 public:
  void open_group(std::string_view classes, std::string_view series = {});
  void close_group();
  void line(Point from, Point to, std::string_view classes, std::string_view tip = {});
  void polyline(const std::vector<Point>& points, std::string_view classes,
                const std::optional<Dashes>& dashes = std::nullopt);
  void polygon(const std::vector<Point>& points, std::string_view classes,
               std::string_view tip = {});
  void rectangle(Point at, double width, double height, std::string_view classes,
                 std::string_view tip = {});
  void circle(Point at, double radius, std::string_view classes, std::string_view tip = {});
  // Of size, and upright, or turned to read upwards.
  void text(Point at, std::string_view text, Anchor anchor, std::string_view classes,
            double size = kTextSize, bool upwards = false);

  [[nodiscard]] const std::string& body() const { return body_; }

 private:
  void number(std::string_view name, double value);
  void tip(std::string_view text);

  std::string body_;
};

}  // namespace tutti::inline pictures
