#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "src/pictures/space_time_layout.hpp"

namespace tutti { inline namespace pictures {

namespace {

constexpr double kColumn = 4;         // width of a column, in pixels
constexpr std::uint32_t kBands = 64;  // maximum number of bands, which are groups of rows
constexpr std::size_t kWorking = kDensityShades + 1;

struct Densities {
  std::size_t columns;
  std::uint32_t bands;
  std::uint32_t rows_per_band;
  // For each band and column, the number of messages in transit per rank; for a merged run, the
  // number of all operations per rank.
  std::vector<double> messages;
  // For each band and column, the share of ranks that reduce or copy.
  std::vector<double> working;

  [[nodiscard]] std::size_t at(std::uint32_t row, std::size_t column) const {
    return row / rows_per_band * columns + column;
  }
};

Densities densities(const RecordedRun& run, const SpaceTimeLayout& layout) {
  Densities found{};
  const double width = layout.frame.right - layout.frame.left;
  found.columns = static_cast<std::size_t>(std::ceil(width / kColumn));
  found.rows_per_band = (run.rows - 1) / kBands + 1;
  found.bands = (run.rows - 1) / found.rows_per_band + 1;
  found.messages.resize(found.bands * found.columns);
  found.working.resize(found.bands * found.columns);
  const double column_s = density_column_s(run, layout);
  for (std::size_t i = 0; i < run.size(); ++i) {
    const auto first =
        std::min(static_cast<std::size_t>(run.start_s[i] / column_s), found.columns - 1);
    const double whole_s = run.end_s[i] - run.start_s[i];
    for (std::size_t c = first; c < found.columns; ++c) {
      const double from_s = static_cast<double>(c) * column_s;
      const double here_s =
          std::min(run.end_s[i], from_s + column_s) - std::max(run.start_s[i], from_s);
      if (here_s <= 0 && c > first) {
        break;
      }
      // The times of each operation in a merged entry are unknown, so operations are spread evenly.
      const double mean = !run.merged()  ? here_s / column_s
                          : whole_s <= 0 ? static_cast<double>(run.count[i])
                                         : static_cast<double>(run.count[i]) * here_s / whole_s;
      if (run.is_message(i)) {
        found.messages[found.at(run.src[i], c)] += mean / 2;
        found.messages[found.at(run.dst[i], c)] += mean / 2;
      } else {
        (run.merged() ? found.messages : found.working)[found.at(run.src[i], c)] += mean;
      }
    }
  }
  for (std::uint32_t band = 0; band < found.bands; ++band) {
    const std::uint64_t in_band = std::uint64_t{found.rows_per_band} * run.ranks_per_row;
    const double ranks = static_cast<double>(std::min(in_band, run.ranks - band * in_band));
    for (std::size_t c = 0; c < found.columns; ++c) {
      found.messages[band * found.columns + c] /= ranks;
      found.working[band * found.columns + c] /= ranks;
    }
  }
  return found;
}

// Returns 0 if nothing is drawn, 1 to kDensityShades for a density of messages, or kWorking if more
// ranks work than send.
std::size_t shade_of(double messages, double most, double working) {
  constexpr double kSome = 1e-3;
  if (working > messages && working > kSome) {
    return kWorking;
  }
  if (messages <= 0) {
    return 0;
  }
  const double level = std::ceil(messages / most * static_cast<double>(kDensityShades) - 1e-9);
  return std::clamp<std::size_t>(static_cast<std::size_t>(level), 1, kDensityShades);
}

std::string classes_of(std::size_t shade) {
  return shade == kWorking ? "f1 faint" : fmt::format("q{}", shade);
}

}  // namespace

double density_column_s(const RecordedRun& run, const SpaceTimeLayout& layout) {
  return run.total_s * kColumn / (layout.frame.right - layout.frame.left);
}

double draw_density(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout) {
  const Densities found = densities(run, layout);
  const double most = *std::max_element(found.messages.begin(), found.messages.end());
  // Neighbouring cells with the same shade are merged into one rectangle: first across columns,
  // then down bands. `open` maps unfinished rectangles (first column, last column, shade) to the
  // band in which they begin.
  using Run = std::tuple<std::size_t, std::size_t, std::size_t>;
  std::map<Run, std::uint32_t> open;
  const double band_height = layout.row_height * found.rows_per_band;
  const auto close = [&](const Run& one, std::uint32_t first, std::uint32_t end) {
    const auto [from, to, shade] = one;
    const double x = layout.frame.left + static_cast<double>(from) * kColumn;
    const double right =
        std::min(layout.frame.left + static_cast<double>(to) * kColumn, layout.frame.right);
    const double y = layout.frame.top + first * band_height;
    const double bottom = std::min(layout.frame.top + end * band_height, layout.frame.bottom);
    svg.rectangle({x, y}, right - x, bottom - y, classes_of(shade));
  };
  for (std::uint32_t band = 0; band < found.bands; ++band) {
    std::map<Run, std::uint32_t> here;
    const auto shade = [&](std::size_t column) {
      const std::size_t at = band * found.columns + column;
      return shade_of(found.messages[at], most, found.working[at]);
    };
    for (std::size_t from = 0; from < found.columns;) {
      std::size_t to = from + 1;
      while (to < found.columns && shade(to) == shade(from)) {
        ++to;
      }
      if (shade(from) != 0) {
        const Run one{from, to, shade(from)};
        const auto above = open.find(one);
        here[one] = above == open.end() ? band : above->second;
      }
      from = to;
    }
    for (const auto& [one, first] : open) {
      if (here.find(one) == here.end()) {
        close(one, first, band);
      }
    }
    open = std::move(here);
  }
  for (const auto& [one, first] : open) {
    close(one, first, found.bands);
  }
  return most;
}

}}  // namespace tutti::pictures
