#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "base/human.hpp"
#include "src/formats/csv.hpp"
#include "src/pictures/axis.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/tables.hpp"

namespace tutti { inline namespace pictures {

namespace {

using Json = nlohmann::json;

struct Run {
  std::string algorithm;  // "allreduce/ring"
  std::uint32_t ranks = 0;
  std::uint64_t bytes = 0;
  double measured_s = 0;
  double simulated_s = 0;
  std::size_t colour = 0;

  [[nodiscard]] double ratio() const { return simulated_s / measured_s; }
  [[nodiscard]] std::string tip() const {
    return fmt::format("{}, {}, {}\nmeasured {}, simulated {} ({:+.3g} %)", algorithm,
                       counted(ranks, "rank"), human_bytes(bytes), human_time(measured_s),
                       human_time(simulated_s), 100 * (ratio() - 1));
  }
};

struct Runs {
  std::vector<Run> runs;  // only runs with positive times
  std::vector<std::string> algorithms;
};

Runs runs_of(const Json& validation) {
  Runs found;
  const Json& runs = validation.at("runs");
  const std::vector<std::string> names = run_names(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Json& json = runs[i];
    Run run;
    run.algorithm = names[i];
    run.ranks = json.at("ranks").get<std::uint32_t>();
    run.bytes = json.at("bytes").get<std::uint64_t>();
    run.measured_s = json.at("measured_s").get<double>();
    run.simulated_s = json.at("simulated_s").get<double>();
    if (run.measured_s <= 0 || run.simulated_s <= 0) {
      continue;
    }
    const auto at = std::find(found.algorithms.begin(), found.algorithms.end(), run.algorithm);
    run.colour = static_cast<std::size_t>(at - found.algorithms.begin());
    if (at == found.algorithms.end()) {
      found.algorithms.push_back(run.algorithm);
    }
    found.runs.push_back(std::move(run));
  }
  return found;
}

std::string colour(std::size_t number) {
  return fmt::format("f{}", std::min(number, kSeriesColours - 1));
}

// Draws the names of algorithms beside or below the frame, each with a dot in its colour. If there
// are more than kSeriesColours algorithms, those from the tenth on share a dot. Returns the bottom.
double draw_names(Svg& svg, const Runs& runs, double x, double top, double right) {
  double y = top;
  for (std::size_t i = 0; i < runs.algorithms.size() && i < kSeriesColours; ++i) {
    const bool others = i + 1 == kSeriesColours && runs.algorithms.size() > kSeriesColours;
    svg.open_group(others ? std::string() : runs.algorithms[i]);
    svg.circle({x, y - 4}, 4, colour(i));
    svg.text(
        {x + 10, y},
        fitted(others ? fmt::format("{} others", runs.algorithms.size() - i) : runs.algorithms[i],
               right - x - 14, 11),
        Anchor::start, "ink", 11);
    svg.close_group();
    y += 18;
  }
  return y;
}

struct Dot {
  Point at;
  const Run* run;
};

constexpr double kRadius = 4;

bool covers(const Dot& one, const Dot& other) {
  return std::hypot(one.at.x - other.at.x, one.at.y - other.at.y) < kRadius;
}

// Draws dots. The tip of a dot also describes the dots that it covers. Returns the number of dots
// whose centre is under a later dot.
std::size_t draw_dots(Svg& svg, std::vector<Dot> dots) {
  std::stable_sort(dots.begin(), dots.end(),
                   [](const Dot& a, const Dot& b) { return a.at.x < b.at.x; });
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < dots.size(); ++i) {
    constexpr std::size_t kValidationMostInTip = 6;
    std::vector<const Run*> there{dots[i].run};
    for (std::size_t j = i; j-- > 0 && dots[i].at.x - dots[j].at.x < kRadius;) {
      if (covers(dots[i], dots[j])) {
        there.push_back(dots[j].run);
      }
    }
    bool is_hidden = false;
    for (std::size_t j = i + 1; j < dots.size() && dots[j].at.x - dots[i].at.x < kRadius; ++j) {
      is_hidden = is_hidden || covers(dots[j], dots[i]);
    }
    hidden += is_hidden ? 1 : 0;
    std::string tip;
    for (std::size_t k = 0; k < std::min(there.size(), kValidationMostInTip); ++k) {
      tip += (k == 0 ? "" : "\n") + there[k]->tip();
    }
    if (there.size() > kValidationMostInTip) {
      tip += fmt::format("\nand {} more", there.size() - kValidationMostInTip);
    }
    svg.open_group(dots[i].run->algorithm);
    svg.circle(dots[i].at, kRadius, colour(dots[i].run->colour), tip);
    svg.close_group();
  }
  return hidden;
}

void say_hidden(Svg& svg, std::size_t hidden, Point at, double width) {
  if (hidden > 0) {
    svg.text(
        at,
        fitted(hidden == 1 ? std::string("1 dot lies under another, whose tooltip names both")
                           : fmt::format("{} dots lie under others, whose tooltips name them too",
                                         human_count(hidden)),
               width, 11),
        Anchor::start, "muted", 11);
  }
}

// Moves dots of one column aside if they would touch, as far as there is room.
void put_aside(std::vector<Dot>& dots, double room) {
  std::stable_sort(dots.begin(), dots.end(), [](const Dot& a, const Dot& b) {
    return std::pair(a.at.x, a.at.y) < std::pair(b.at.x, b.at.y);
  });
  constexpr double kApart = 2 * kRadius + 0.5;
  const int most = static_cast<int>(room / kApart);
  for (std::size_t first = 0; first < dots.size();) {
    const double x = dots[first].at.x;
    std::size_t end = first;
    for (; end < dots.size() && dots[end].at.x == x; ++end) {
    }
    // Offset of each dot from the column, in multiples of kApart: the first of 0, 1, -1, 2, ...
    // that is free.
    std::vector<int> aside;
    for (std::size_t i = first; i < end; ++i) {
      const auto is_free = [&](int place) {
        for (std::size_t j = i; j-- > first;) {
          if (aside[j - first] == place && dots[i].at.y - dots[j].at.y < kApart) {
            return false;
          }
        }
        return true;
      };
      int place = 0;
      while (std::abs(place) <= most && !is_free(place)) {
        place = place > 0 ? -place : 1 - place;
      }
      aside.push_back(std::abs(place) <= most ? place : 0);
    }
    for (std::size_t i = first; i < end; ++i) {
      dots[i].at.x = x + kApart * aside[i - first];
    }
    first = end;
  }
}

// Room on each side of a column: half of the smallest distance between columns, but at most 60
// pixels, less the radius of a dot.
double half_column(const std::vector<Dot>& dots) {
  std::vector<double> places;
  for (const Dot& dot : dots) {
    places.push_back(dot.at.x);
  }
  std::sort(places.begin(), places.end());
  double least = 120;
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i] > places[i - 1]) {
      least = std::min(least, places[i] - places[i - 1]);
    }
  }
  return least / 2 - kRadius;
}

std::string csv_of(const Runs& runs) {
  std::string csv = "algorithm,ranks,bytes,measured_s,simulated_s\n";
  for (const Run& run : runs.runs) {
    csv += fmt::format("{},{},{},{},{}\n", csv_field(run.algorithm), run.ranks, run.bytes,
                       run.measured_s, run.simulated_s);
  }
  return csv;
}

}  // namespace

Picture agreement_chart(const Json& validation, double width) {
  const bool narrow = width < kWide;
  const Runs runs = runs_of(validation);
  double least_s = std::numeric_limits<double>::infinity();
  double most_s = 0;
  for (const Run& run : runs.runs) {
    least_s = std::min({least_s, run.measured_s, run.simulated_s});
    most_s = std::max({most_s, run.measured_s, run.simulated_s});
  }
  if (runs.runs.empty()) {
    least_s = most_s = 1;
  }
  const Frame frame =
      narrow ? Frame{84, 50, width - 14, 50 + (width - 98)} : Frame{90, 50, 590, 550};
  const Scale x = Scale::logarithmic(least_s / 1.2, most_s * 1.2, frame.left, frame.right);
  const Scale y = Scale::logarithmic(least_s / 1.2, most_s * 1.2, frame.bottom, frame.top);
  Picture picture = begun(
      "validation", "agreement",
      fmt::format("Simulated against measured time, {}", counted(runs.runs.size(), "run")), width);
  picture.alt = picture.title + ", both logarithmic; they agree on the diagonal.";
  picture.csv = csv_of(runs);
  Svg svg;
  draw_horizontal_axis(svg, frame, x, time_ticks(x, narrow ? 3 : 6), "measured");
  draw_vertical_axis(svg, frame, y, time_ticks(y, 6), "simulated");
  svg.line({frame.left, frame.bottom}, {frame.right, frame.top}, "muted");
  std::vector<Dot> dots;
  for (const Run& run : runs.runs) {
    dots.push_back({{x(run.measured_s), y(run.simulated_s)}, &run});
  }
  const std::size_t hidden = draw_dots(svg, std::move(dots));
  if (narrow) {
    const double end = draw_names(svg, runs, 24, frame.bottom + 62, width);
    say_hidden(svg, hidden, {16, end}, width - 24);
    picture.height = end + 12;
  } else {
    draw_names(svg, runs, frame.right + 30, frame.top + 20, width);
    say_hidden(svg, hidden, {frame.right + 20, frame.bottom}, width - frame.right - 28);
    picture.height = frame.bottom + 50;
  }
  picture.body = svg.body();
  return picture;
}

Picture error_chart(const Json& validation, double width) {
  const bool narrow = width < kWide;
  const Runs runs = runs_of(validation);
  double least = 1;
  double most = 1;
  double least_bytes = std::numeric_limits<double>::infinity();
  double most_bytes = 0;
  for (const Run& run : runs.runs) {
    const double bytes = std::max(1.0, static_cast<double>(run.bytes));
    least = std::min(least, run.ratio());
    most = std::max(most, run.ratio());
    least_bytes = std::min(least_bytes, bytes);
    most_bytes = std::max(most_bytes, bytes);
  }
  if (runs.runs.empty()) {
    least_bytes = most_bytes = 1;
  }
  const Frame frame = narrow ? Frame{70, 50, width - 14, 330} : Frame{90, 50, width - 240, 400};
  const Scale x = Scale::logarithmic(least_bytes / 1.3, most_bytes * 1.3, frame.left, frame.right);
  const Scale y = Scale::logarithmic(least / 1.2, most * 1.2, frame.bottom, frame.top);
  Picture picture =
      begun("validation", "error-by-size", "Simulated over measured time, by size", width);
  picture.alt = picture.title + "; they agree at 1.";
  picture.csv = csv_of(runs);
  Svg svg;
  draw_horizontal_axis(svg, frame, x, byte_ticks(x, narrow ? 4 : 9),
                       "bytes in the largest buffer of a rank");
  std::vector<Tick> ticks;
  for (const double ratio :
       {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 1.0, 1.25, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
    if (ratio >= y.least() && ratio <= y.most()) {
      ticks.push_back({ratio, fmt::format("{:g}", ratio)});
    }
  }
  draw_vertical_axis(svg, frame, y, ticks, "simulated over measured");
  svg.line({frame.left, y(1)}, {frame.right, y(1)}, "muted");
  std::vector<Dot> dots;
  for (const Run& run : runs.runs) {
    dots.push_back({{x(std::max(1.0, static_cast<double>(run.bytes))), y(run.ratio())}, &run});
  }
  put_aside(dots, half_column(dots));
  const std::size_t hidden = draw_dots(svg, std::move(dots));
  const double notes = narrow ? 16 : frame.left;
  double bottom = frame.bottom + 56;
  if (narrow) {
    bottom = draw_names(svg, runs, 24, frame.bottom + 62, width);
  } else {
    draw_names(svg, runs, frame.right + 24, frame.top + 20, width);
  }
  bottom = svg.lines({notes, bottom},
                     wrapped("dots of one size are drawn side by side where they would overlap",
                             width - notes - 8, 11, 2),
                     16, "muted", 11);
  say_hidden(svg, hidden, {notes, bottom}, width - notes - 8);
  picture.height = bottom + 10;
  picture.body = svg.body();
  return picture;
}

}}  // namespace tutti::pictures
