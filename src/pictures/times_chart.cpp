#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/human.hpp"
#include "src/formats/csv.hpp"
#include "src/pictures/axis.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/legend.hpp"
#include "src/pictures/times_curves.hpp"

namespace tutti::inline pictures {

namespace {

std::string classes(const Curve& curve, bool area) {
  std::string text = curve.colour < kSeriesColours
                         ? fmt::format("{}{}", area ? 'f' : 's', curve.colour)
                     : area ? "f9 faint"
                            : "s9 faint";
  if (!area) {
    text += curve.colour < kSeriesColours ? " thick" : " thin";
  }
  return text;
}

struct Crossing {
  double bytes = 0;
  std::string to;
};

// Returns the sizes at which another algorithm becomes the fastest, interpolated between the sizes
// of the table.
std::vector<Crossing> crossings_of(const TimesTable& table, std::size_t rank) {
  const std::vector<Winner> all = winners(table);
  const Winner* const best = &all[rank * table.sizes_bytes.size()];
  std::vector<Crossing> found;
  for (std::size_t size = 1; size < table.sizes_bytes.size(); ++size) {
    const auto before = best[size - 1].best;
    const auto after = best[size].best;
    if (!before || !after || before == after || table.sizes_bytes[size - 1] == 0) {
      continue;
    }
    const auto log_of = [&](std::size_t at, std::size_t algorithm) {
      const auto time = table.cell(rank, at, algorithm).simulated_s;
      return time && *time > 0 ? std::log(*time) : std::numeric_limits<double>::quiet_NaN();
    };
    const double ahead = log_of(size - 1, *after) - log_of(size - 1, *before);
    const double behind = log_of(size, *after) - log_of(size, *before);
    const double part = std::isfinite(ahead - behind) && ahead > behind
                            ? std::clamp(ahead / (ahead - behind), 0.0, 1.0)
                            : 0.5;
    const double low = std::log2(static_cast<double>(table.sizes_bytes[size - 1]));
    const double high = std::log2(static_cast<double>(table.sizes_bytes[size]));
    found.push_back({std::exp2(low + part * (high - low)), table.algorithms[*after]});
  }
  return found;
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
             curve.colour < kSeriesColours ? classes(curve, true) : "muted");
  }
  svg.close_group();
}

std::string csv_of(const TimesTable& table, std::size_t rank) {
  std::string csv = "collective,algorithm,ranks,bytes,simulated_s,exact_s,published_s,measured_s\n";
  const auto value = [](const std::optional<double>& time) {
    return time ? fmt::format("{}", *time) : std::string();
  };
  for (std::size_t size = 0; size < table.sizes_bytes.size(); ++size) {
    for (std::size_t i = 0; i < table.algorithms.size(); ++i) {
      const TimesCell& cell = table.cell(rank, size, i);
      if (cell.simulated_s || cell.measured_s) {
        csv += fmt::format("{},{},{},{},{},{},{},{}\n", table.collective,
                           csv_field(table.algorithms[i]), table.ranks[rank],
                           table.sizes_bytes[size], value(cell.simulated_s), value(cell.exact_s),
                           value(cell.published_s), value(cell.measured_s));
      }
    }
  }
  return csv;
}

// Draws bars for a single size, the fastest first.
void draw_bars(Picture& picture, const TimesTable& table, std::size_t rank) {
  const double width = picture.width;
  std::vector<std::size_t> order;
  double most_s = 0;
  for (std::size_t i = 0; i < table.algorithms.size(); ++i) {
    if (const auto time = table.cell(rank, 0, i).simulated_s) {
      order.push_back(i);
      most_s = std::max(most_s, *time);
    }
  }
  const auto time_s = [&](std::size_t i) { return *table.cell(rank, 0, i).simulated_s; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return time_s(a) < time_s(b); });
  constexpr double kTimesRow = 24;
  Frame frame{std::min(220.0, 0.38 * width), 48, width - 90,
              48 + kTimesRow * static_cast<double>(order.size())};
  const Scale x = Scale::linear(0, most_s > 0 ? most_s : 1, frame.left, frame.right);
  Svg svg;
  draw_horizontal_axis(svg, frame, x, time_ticks(x, 6), "");
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t i = order[place];
    const double y = frame.top + kTimesRow * static_cast<double>(place);
    svg.open_group(table.algorithms[i]);
    svg.text({frame.left - 8, y + 16}, fitted(table.algorithms[i], frame.left - 24), Anchor::end,
             place == 0 ? "ink bold" : "ink");
    svg.rectangle({frame.left, y + 4}, x(time_s(i)) - frame.left, kTimesRow - 8,
                  place == 0 ? "f0" : "f9 faint",
                  fmt::format("{}\n{}", table.algorithms[i], human_time(time_s(i))));
    svg.text({x(time_s(i)) + 6, y + 16}, human_time(time_s(i)), Anchor::start, "muted");
    svg.close_group();
  }
  picture.height = frame.bottom + 34;
  picture.body = svg.body();
}

}  // namespace

Picture times_chart(const TimesTable& table, std::size_t rank, double width) {
  const bool narrow = width < kWide;
  const std::string what = table.algorithms.size() == 1
                               ? table.collective + '/' + table.algorithms.front()
                               : table.collective;
  Picture picture = begun(
      "comparison",
      fmt::format("times {} {} {}", table.collective, table.ranks[rank], table.machine),
      fmt::format("{} on {}, {}", what, counted(table.ranks[rank], "rank"), table.machine), width);
  picture.csv = csv_of(table, rank);
  if (table.sizes_bytes.size() == 1) {
    picture.title += ", " + human_bytes(table.sizes_bytes.front());
    picture.alt = "Bars of simulated times, the fastest first: " + picture.title;
    draw_bars(picture, table, rank);
    return picture;
  }

  std::vector<Curve> curves = curves_of(table, rank);
  const std::string together = tell_apart(curves);
  const std::vector<Crossing> crossings = crossings_of(table, rank);
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
  const double rows = static_cast<double>(std::max<std::size_t>(curves.size(), 1));
  const Frame frame = narrow ? Frame{78, 70, width - 14, 330}
                             : Frame{84, 70, width - 230, std::max(430.0, 90 + 15 * rows)};
  const std::uint64_t least_bytes = table.sizes_bytes[table.sizes_bytes.front() > 0 ? 0 : 1];
  const Scale x =
      Scale::logarithmic(static_cast<double>(least_bytes),
                         static_cast<double>(table.sizes_bytes.back()), frame.left, frame.right);
  const Scale y = Scale::logarithmic(least_s / 1.15, most_s * 1.15, frame.bottom, frame.top);

  Svg svg;
  draw_horizontal_axis(svg, frame, x, byte_ticks(x, narrow ? 4 : 9),
                       "bytes in the largest buffer of a rank");
  draw_vertical_axis(svg, frame, y, time_ticks(y, 7), "time");
  draw_crossings(svg, frame, x, crossings, narrow ? width - 4 : frame.right + 100);
  std::vector<double> wanted;
  for (const Curve& curve : curves) {
    if (has_label(curve)) {
      wanted.push_back(y(curve.points.back().second) + 4);
    }
  }
  const std::vector<double> places = places_apart(wanted, 15, frame.top + 14, frame.bottom + 4);
  std::vector<double> label_y;
  std::size_t labels = 0;
  for (const Curve& curve : curves) {
    label_y.push_back(has_label(curve) ? places[labels++] : 0);
  }
  // Draws the best curves on top of the others, and dashed curves on top of those that they
  // overlap.
  for (const bool dashed : {false, true}) {
    for (std::size_t i = curves.size(); i-- > 0;) {
      if (curves[i].dashes.has_value() == dashed) {
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
  if (std::ranges::any_of(curves, [](const Curve& curve) { return !curve.formula.empty(); })) {
    const std::string dotted = fmt::format(
        "dotted: exact formula, in the algorithm's colour, where it is off by more than {:g} %",
        100 * kOff);
    bottom = svg.lines({notes, bottom}, wrapped(dotted, width - notes - 8, 11, 3), narrow ? 16 : 18,
                       "muted", 11);
  }
  if (std::ranges::any_of(curves, &Curve::squares_only)) {
    svg.text({notes, bottom}, "squares: measured, in the algorithm's colour", Anchor::start,
             "muted", 11);
    bottom += 18;
  }
  constexpr std::size_t kMostLines = 6;
  bottom = svg.lines({notes, bottom}, wrapped(together, width - notes - 8, 11, kMostLines), 16,
                     "muted", 11);
  picture.height = bottom - 4;
  picture.body = svg.body();
  picture.alt = fmt::format("Time over size, both logarithmic: {}.", picture.title);
  if (const auto first = winners(table)[rank * table.sizes_bytes.size()].best) {
    picture.alt += fmt::format(" The fastest is {} at first", table.algorithms[*first]);
    for (const Crossing& crossing : crossings) {
      picture.alt += fmt::format(", {} from {}", crossing.to, short_bytes(crossing.bytes));
    }
    picture.alt += '.';
  }
  return picture;
}

}  // namespace tutti::inline pictures
