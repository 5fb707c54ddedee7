// Writes pictures as SVG 1.1: shapes and real text, coloured only by CSS classes. The same picture
// can be light or dark in a page, and is self-contained in a file.
//
// Classes: ink (text and strong lines), muted (text and axes), grid (thin lines), paper, accent,
// good, bad; s0 to s9 (lines of series) and f0 to f9 (their areas); q0 to q8 (areas, light to
// strong); dash2 (fine dashes). In a page, pointing at an element shows its data-tip.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace pictures {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Anchor : std::uint8_t { start, middle, end };

inline constexpr double kTextSize = 12;
inline constexpr std::size_t kSeriesColours = 10;
inline constexpr std::size_t kShades = 9;

// Escapes a text for XML content and attributes. Invalid UTF-8, and characters that XML does not
// allow, become U+FFFD.
[[nodiscard]] std::string xml_escaped(std::string_view text);

// Approximate width of a text: fonts differ by about 10 %.
[[nodiscard]] double text_width(std::string_view text, double size = kTextSize);
// Shortens a text in the middle until it fits.
[[nodiscard]] std::string fitted(std::string_view text, double width, double size = kTextSize);
// Breaks a text into at most `most` lines of whole words within this width. Shortens the last line
// if necessary.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, double width, double size,
                                               std::size_t most);
// Replaces the space in "hosts 0-15" by one at which wrapped() breaks no line.
[[nodiscard]] std::string kept_together(std::string text);

// A dash pattern: `drawn` pixels of each period, beginning at `offset`.
struct Dashes {
  double drawn = 0;
  double period = 0;
  double offset = 0;
};

class Svg {
 public:
  void open_group(std::string_view series = {});
  void close_group();
  void line(Point from, Point to, std::string_view classes, std::string_view tip = {});
  void polyline(const std::vector<Point>& points, std::string_view classes,
                const std::optional<Dashes>& dashes = std::nullopt);
  void polygon(const std::vector<Point>& points, std::string_view classes,
               std::string_view tip = {});
  void rectangle(Point at, double width, double height, std::string_view classes,
                 std::string_view tip = {});
  void circle(Point at, double radius, std::string_view classes, std::string_view tip = {});
  // `upwards`: rotates the text so that it reads upwards.
  void text(Point at, std::string_view text, Anchor anchor, std::string_view classes,
            double size = kTextSize, bool upwards = false);
  // Draws lines of text, `apart` pixels from each other, of which the first is at `at`. Returns the
  // vertical position of the line after the last.
  double lines(Point at, const std::vector<std::string>& lines, double apart,
               std::string_view classes, double size = kTextSize);

  [[nodiscard]] const std::string& body() const { return body_; }

 private:
  void tip(std::string_view text);

  std::string body_;
};

}}  // namespace tutti::pictures
