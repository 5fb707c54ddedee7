#include "src/pictures/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/printable.hpp"

namespace tutti { inline namespace pictures {

namespace {

// Width of a character in DejaVu Sans, in thousandths of the text size, rounded up a little.
unsigned character_width(char c) {
  const auto is_one_of = [c](std::string_view some) { return some.find(c) != some.npos; };
  return is_one_of("ijl'|.,:;I!")  ? 320
         : is_one_of("ftr ()[]/-") ? 390
         : is_one_of("mwMW%@")     ? 960
         : c >= 'A' && c <= 'Z'    ? 690
                                   : 620;
}

// Returns a length with at most two decimals.
std::string pixels(double value) {
  const double rounded = std::round(value * 100) / 100;
  return fmt::format("{:.6g}", rounded == 0 ? 0 : rounded);  // avoids "-0"
}

std::string points_text(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) {
    text += fmt::format("{}{},{}", text.empty() ? "" : " ", pixels(point.x), pixels(point.y));
  }
  return text;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    // XML does not allow U+FFFE, U+FFFF and most control characters.
    const bool excluded = text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
    const std::size_t length = excluded ? 0 : character_length(text);
    const char c = text.front();
    if (length == 0 || (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')) {
      escaped += "\xef\xbf\xbd";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (c == '\'') {
      escaped += "&#39;";
    } else if (c == '\n') {
      escaped += "&#10;";
    } else {
      escaped += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return escaped;
}

double text_width(std::string_view text, double size) {
  double thousandths = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    thousandths += (byte & 0xc0U) == 0x80 ? 0 : byte >= 0x80 ? 700 : character_width(c);
  }
  return thousandths * size / 1000;
}

std::string fitted(std::string_view text, double width, double size) {
  if (text_width(text, size) <= width) {
    return std::string(text);
  }
  // Keeps both ends of the text, because the ends of a name usually tell the most about it.
  for (std::size_t kept = text.size(); kept-- > 1;) {
    std::size_t head = (kept + 1) / 2;
    std::size_t tail = text.size() - kept / 2;
    const auto inside = [&](std::size_t at) {
      return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80;
    };
    while (head > 0 && inside(head)) {
      --head;
    }
    while (inside(tail)) {
      ++tail;
    }
    std::string shorter = fmt::format("{}\u2026{}", text.substr(0, head), text.substr(tail));
    if (text_width(shorter, size) <= width) {
      return shorter;
    }
  }
  return "\u2026";
}

std::vector<std::string> wrapped(std::string_view text, double width, double size,
                                 std::size_t most) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < most) {
    std::size_t end = text.size();
    while (lines.size() + 1 < most && text_width(text.substr(0, end), size) > width) {
      const std::size_t space = text.substr(0, end).rfind(' ');
      if (space == std::string_view::npos || space == 0) {
        break;
      }
      end = space;
    }
    lines.push_back(fitted(text.substr(0, end), width, size));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

std::string kept_together(std::string text) {
  for (const std::string_view noun : {"host ", "hosts "}) {
    for (std::size_t at = 0; (at = text.find(noun, at)) != std::string::npos; at += noun.size()) {
      const std::size_t space = at + noun.size() - 1;
      if (space + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[space + 1]))) {
        text.replace(space, 1, "\u00a0");
      }
    }
  }
  return text;
}

void Svg::tip(std::string_view text) {
  if (!text.empty()) {
    body_ += fmt::format(" data-tip=\"{}\"", xml_escaped(text));
  }
  body_ += "/>\n";
}

void Svg::open_group(std::string_view series) {
  body_ += "<g";
  if (!series.empty()) {
    body_ += fmt::format(" data-series=\"{}\"", xml_escaped(series));
  }
  body_ += ">\n";
}

void Svg::close_group() { body_ += "</g>\n"; }

void Svg::line(Point from, Point to, std::string_view classes, std::string_view text) {
  body_ += fmt::format(R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}")", classes,
                       pixels(from.x), pixels(from.y), pixels(to.x), pixels(to.y));
  tip(text);
}

void Svg::polyline(const std::vector<Point>& points, std::string_view classes,
                   const std::optional<Dashes>& dashes) {
  body_ += fmt::format("<polyline fill=\"none\" class=\"{}\"", classes);
  if (dashes) {
    body_ += fmt::format(R"( stroke-dasharray="{:g} {:g}" stroke-dashoffset="{:g}")", dashes->drawn,
                         dashes->period - dashes->drawn, dashes->period - dashes->offset);
  }
  body_ += fmt::format(" points=\"{}\"/>\n", points_text(points));
}

void Svg::polygon(const std::vector<Point>& points, std::string_view classes,
                  std::string_view text) {
  body_ += fmt::format(R"(<polygon class="{}" points="{}")", classes, points_text(points));
  tip(text);
}

void Svg::rectangle(Point at, double width, double height, std::string_view classes,
                    std::string_view text) {
  body_ += fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}")", classes,
                       pixels(at.x), pixels(at.y), pixels(width), pixels(height));
  tip(text);
}

void Svg::circle(Point at, double radius, std::string_view classes, std::string_view text) {
  body_ += fmt::format(R"(<circle class="{}" cx="{}" cy="{}" r="{}")", classes, pixels(at.x),
                       pixels(at.y), pixels(radius));
  tip(text);
}

void Svg::text(Point at, std::string_view text, Anchor anchor, std::string_view classes,
               double size, bool upwards) {
  if (text.empty()) {
    return;
  }
  body_ += fmt::format(R"(<text class="{}" x="{}" y="{}" font-size="{}")", classes, pixels(at.x),
                       pixels(at.y), pixels(size));
  if (anchor != Anchor::start) {
    body_ += anchor == Anchor::middle ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
  }
  if (upwards) {
    body_ += fmt::format(" transform=\"rotate(-90 {:.6g} {:.6g})\"", at.x, at.y);
  }
  body_ += '>' + xml_escaped(text) + "</text>\n";
}

double Svg::lines(Point at, const std::vector<std::string>& lines, double apart,
                  std::string_view classes, double size) {
  for (const std::string& line : lines) {
    text(at, line, Anchor::start, classes, size);
    at.y += apart;
  }
  return at.y;
}

}}  // namespace tutti::pictures
