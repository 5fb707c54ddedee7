#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/human.hpp"
#include "src/formats/csv.hpp"
#include "src/pictures/axis.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/curves_drawing.hpp"

namespace tutti { inline namespace pictures {

namespace {

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

std::string csv_of(const TimesTable& table, std::size_t rank) {
  std::string csv =
      fmt::format("collective,algorithm,ranks,bytes,{}_s,exact_s,published_s,bound_s,{}_s\n",
                  table.curves, table.squares);
  const auto value = [](const std::optional<double>& time) {
    return time ? fmt::format("{}", *time) : std::string();
  };
  for (std::size_t size = 0; size < table.sizes_bytes.size(); ++size) {
    for (std::size_t i = 0; i < table.algorithms.size(); ++i) {
      const TimesCell& cell = table.cell(rank, size, i);
      if (cell.simulated_s || cell.measured_s) {
        csv += fmt::format("{},{},{},{},{},{},{},{},{}\n", table.collective,
                           csv_field(table.algorithms[i]), table.ranks[rank],
                           table.sizes_bytes[size], value(cell.simulated_s), value(cell.exact_s),
                           value(cell.published_s), value(cell.bound_s), value(cell.measured_s));
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
  if (const auto bound_s = table.bound_s(rank, 0)) {
    svg.open_group("limit");
    svg.line({x(*bound_s), frame.top}, {x(*bound_s), frame.bottom}, "ink",
             "limit: no algorithm can be faster\n" + human_time(*bound_s));
    svg.text({x(*bound_s), frame.top - 4}, "limit", Anchor::middle, "ink", 11);
    svg.close_group();
  }
  picture.height = frame.bottom + 34;
  picture.body = svg.body();
}

}  // namespace

Picture times_chart(const TimesTable& table, std::size_t rank, double width) {
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
    picture.alt =
        fmt::format("Bars of {} times, the fastest first: {}", table.curves, picture.title);
    draw_bars(picture, table, rank);
    return picture;
  }

  const std::vector<Crossing> crossings = crossings_of(table, rank);
  draw_curves(picture, curves_of(table, rank), table.sizes_bytes, crossings);
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

}}  // namespace tutti::pictures
