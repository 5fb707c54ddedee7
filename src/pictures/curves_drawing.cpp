#include "src/pictures/curves_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/human.hpp"
#include "src/pictures/axis.hpp"
#include "src/pictures/legend.hpp"

namespace tutti { inline namespace pictures {

namespace {

std::string classes(const Curve& curve, bool area) {
  if (curve.is_limit) {
    return "ink";
  }
  std::string text = curve.colour < kSeriesColours
                         ? fmt::format("{}{}", area ? 'f' : 's', curve.colour)
                     : area ? "f9 faint"
                            : "s9 faint";
  if (!area) {
    text += curve.colour < kSeriesColours ? " thick" : " thin";
  }
  return text;
}

void draw_crossings(Svg& svg, const Frame& frame, const Scale& x,
                    const std::vector<Crossing>& crossings, double right) {
  double until = frame.left;
  for (const Crossing& crossing : crossings) {
    const double at = x(crossing.bytes);
    const std::string words = fmt::format("{} from {}", crossing.to, short_bytes(crossing.bytes));
    svg.open_group();
    svg.line({at, frame.top}, {at, frame.bottom}, "muted dash2", words);
    const double half = text_width(words, 11) / 2;
    if (at - half > until && at + half < right) {
      svg.text({at, frame.top - 6}, words, Anchor::middle, "muted", 11);
      until = at + half + 8;
    }
    svg.close_group();
  }
}

// True if the curve needs a label. Several measured times need no label, since they have the colour
// of the simulated times.
bool has_label(const Curve& curve) { return !curve.squares_only || curve.points.size() == 1; }

// Position and maximum width of a curve's label.
struct LabelPlace {
  Point at;
  double width = 0;
};

void draw_curve(Svg& svg, const Curve& curve, const Scale& x, const Scale& y,
                const std::optional<LabelPlace>& label) {
  const auto placed = [&](const std::vector<std::pair<double, double>>& times) {
    std::vector<Point> points;
    for (const auto& [bytes, time_s] : times) {
      points.push_back({x(bytes), y(time_s)});
    }
    return points;
  };
  const std::vector<Point> points = placed(curve.points);
  svg.open_group(curve.label);
  if (!curve.squares_only) {
    svg.polyline(points, classes(curve, false), curve.dashes);
  }
  if (!curve.formula.empty()) {
    svg.polyline(placed(curve.formula), fmt::format("s{} thin dash2", curve.colour));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string tip = fmt::format(
        "{}\n{}: {}", curve.label, human_bytes(static_cast<std::uint64_t>(curve.points[i].first)),
        human_time(curve.points[i].second));
    if (curve.squares_only) {
      svg.rectangle({points[i].x - 4, points[i].y - 4}, 8, 8, classes(curve, true), tip);
    } else if (curve.dots) {
      svg.circle(points[i], 3, classes(curve, true), tip);
    }
  }
  if (label && has_label(curve)) {
    svg.line({points.back().x + 4, points.back().y}, {label->at.x - 4, label->at.y - 4}, "grid");
    svg.text(label->at, fitted(curve.label, label->width), Anchor::start,
             curve.is_limit || curve.colour < kSeriesColours ? classes(curve, true) : "muted");
  }
  svg.close_group();
}

// Returns the vertical axis, which has room for all times of the curves.
Scale time_scale(const std::vector<Curve>& curves, const Frame& frame) {
  double least_s = std::numeric_limits<double>::infinity();
  double most_s = 0;
  for (const Curve& curve : curves) {
    for (const auto& [bytes, time_s] : curve.formula) {
      least_s = std::min(least_s, time_s);
    }
    for (const auto& [bytes, time_s] : curve.points) {
      least_s = std::min(least_s, time_s);
      most_s = std::max(most_s, time_s);
    }
  }
  if (curves.empty()) {
    least_s = most_s = 1;
  }
  return Scale::logarithmic(least_s / 1.15, most_s * 1.15, frame.bottom, frame.top);
}

// Returns the y coordinate of each curve's label, beside its last point if possible; 0 for curves
// without a label.
std::vector<double> label_heights(const std::vector<Curve>& curves, const Frame& frame,
                                  const Scale& y) {
  std::vector<double> wanted;
  for (const Curve& curve : curves) {
    if (has_label(curve)) {
      wanted.push_back(y(curve.points.back().second) + 4);
    }
  }
  const std::vector<double> places = places_apart(wanted, 15, frame.top + 14, frame.bottom + 4);
  std::vector<double> heights;
  std::size_t labels = 0;
  for (const Curve& curve : curves) {
    heights.push_back(has_label(curve) ? places[labels++] : 0);
  }
  return heights;
}

// Writes what the signs of the curves mean, and which curves lie on each other. Returns the
// baseline of the next line.
double draw_notes(Svg& svg, const std::vector<Curve>& curves, const std::string& together, Point at,
                  double width, double line_height) {
  if (std::ranges::any_of(curves, [](const Curve& curve) { return !curve.formula.empty(); })) {
    const std::string dotted = fmt::format(
        "dotted: exact formula, in the algorithm's colour, where it is off by more than {:g} %",
        100 * kOff);
    at.y = svg.lines(at, wrapped(dotted, width, 11, 3), line_height, "muted", 11);
  }
  const auto note = [&](const std::string& text) {
    svg.text(at, text, Anchor::start, "muted", 11);
    at.y += 18;
  };
  if (const auto squares = std::ranges::find(curves, true, &Curve::squares_only);
      squares != curves.end()) {
    const bool of_algorithms = std::ranges::any_of(curves, [&](const Curve& curve) {
      return !curve.squares_only && curve.colour == squares->colour;
    });
    note(fmt::format("squares: {}{}", squares->squares,
                     of_algorithms ? ", in the algorithm's colour" : ""));
  }
  if (std::ranges::any_of(curves, &Curve::is_limit)) {
    note("limit: no algorithm can be faster");
  }
  constexpr std::size_t kMostLines = 6;
  return svg.lines(at, wrapped(together, width, 11, kMostLines), 16, "muted", 11);
}

}  // namespace

void draw_curves(Picture& picture, std::vector<Curve> curves,
                 const std::vector<std::uint64_t>& sizes_bytes,
                 const std::vector<Crossing>& crossings) {
  const double width = picture.width;
  const bool narrow = width < kWide;
  const std::string together = tell_apart(curves);
  const double rows = static_cast<double>(std::max<std::size_t>(curves.size(), 1));
  const Frame frame = narrow ? Frame{78, 70, width - 14, 330}
                             : Frame{84, 70, width - 230, std::max(430.0, 90 + 15 * rows)};
  const std::uint64_t least_bytes = sizes_bytes[sizes_bytes.front() > 0 ? 0 : 1];
  const Scale x =
      Scale::logarithmic(static_cast<double>(least_bytes), static_cast<double>(sizes_bytes.back()),
                         frame.left, frame.right);
  const Scale y = time_scale(curves, frame);

  Svg svg;
  draw_horizontal_axis(svg, frame, x, byte_ticks(x, narrow ? 4 : 9),
                       "bytes in the largest buffer of a rank");
  draw_vertical_axis(svg, frame, y, time_ticks(y, 7), "time");
  draw_crossings(svg, frame, x, crossings, narrow ? width - 4 : frame.right + 100);
  const std::vector<double> label_y = label_heights(curves, frame, y);
  // Draws the best curves on top of the others, dashed curves on top of those that they overlap,
  // and the limit on top of all.
  const auto layer = [](const Curve& curve) { return curve.is_limit ? 2 : curve.dashes ? 1 : 0; };
  for (const int now : {0, 1, 2}) {
    for (std::size_t i = curves.size(); i-- > 0;) {
      if (layer(curves[i]) == now) {
        const Point at{frame.right + 18, label_y[i]};
        draw_curve(svg, curves[i], x, y,
                   narrow ? std::nullopt : std::optional(LabelPlace{at, width - at.x - 4}));
      }
    }
  }
  double bottom = frame.bottom + 58;  // baseline of the next line of text
  if (narrow) {
    Legend legend(svg, {16, bottom}, width - 4, 11);
    for (const Curve& curve : curves) {
      if (has_label(curve)) {
        legend.line(classes(curve, false), fitted(curve.label, width - 60, 11));
      }
    }
    bottom = legend.bottom() + 20;
  }
  const double notes = narrow ? 16 : frame.left;
  bottom = draw_notes(svg, curves, together, {notes, bottom}, width - notes - 8, narrow ? 16 : 18);
  picture.height = bottom - 4;
  picture.body = svg.body();
}

}}  // namespace tutti::pictures
