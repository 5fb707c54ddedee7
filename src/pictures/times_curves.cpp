#include "src/pictures/times_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>
#include <tuple>

namespace tutti { inline namespace pictures {

namespace {

bool is_off(const TimesTable& table, std::size_t rank, std::size_t algorithm) {
  for (std::size_t size = 0; size < table.sizes_bytes.size(); ++size) {
    const TimesCell& cell = table.cell(rank, size, algorithm);
    if (cell.simulated_s && cell.exact_s && *cell.exact_s > 0 &&
        std::abs(*cell.simulated_s / *cell.exact_s - 1) > kOff) {
      return true;
    }
  }
  return false;
}

std::vector<std::pair<double, double>> points_of(const TimesTable& table, std::size_t rank,
                                                 std::size_t algorithm,
                                                 std::optional<double> TimesCell::*member) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t size = 0; size < table.sizes_bytes.size(); ++size) {
    const std::optional<double> time = table.cell(rank, size, algorithm).*member;
    if (time && *time > 0 && table.sizes_bytes[size] > 0) {
      points.emplace_back(static_cast<double>(table.sizes_bytes[size]), *time);
    }
  }
  return points;
}

// Returns the order in which algorithms get colours: those that win the most cells first, then
// those that come closest to the best in any cell. The order is the same for all numbers of ranks,
// and on the map of winners.
std::vector<std::size_t> by_interest(const TimesTable& table) {
  std::vector<std::size_t> wins(table.algorithms.size());
  std::vector<double> nearest(table.algorithms.size(), std::numeric_limits<double>::infinity());
  const std::vector<Winner> best = winners(table);
  for (std::size_t cell = 0; cell < best.size(); ++cell) {
    if (!best[cell].best) {
      continue;
    }
    ++wins[*best[cell].best];
    const TimesCell* const cells = &table.cells[cell * table.algorithms.size()];
    const double best_s = *cells[*best[cell].best].simulated_s;
    for (std::size_t i = 0; i < table.algorithms.size(); ++i) {
      if (const auto own = cells[i].simulated_s) {
        nearest[i] = std::min(nearest[i], best_s > 0 ? *own / best_s : 1);
      }
    }
  }
  std::vector<std::size_t> order(table.algorithms.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(wins[b], nearest[a], std::string_view(table.algorithms[a])) <
           std::tuple(wins[a], nearest[b], std::string_view(table.algorithms[b]));
  });
  return order;
}

enum class Overlap : std::uint8_t { none, part, whole };

// Says whether two curves coincide as a whole, in part or not at all. Lines coincide in part if
// they agree at two consecutive points. Squares have no lines, and coincide only as a whole.
Overlap overlap(const Curve& a, const Curve& b) {
  constexpr double kSame = 0.01;
  if (a.squares_only != b.squares_only || a.is_limit || b.is_limit) {
    return Overlap::none;
  }
  std::size_t same = 0;
  bool last_same = false;
  bool part = false;
  for (const auto& [bytes, time_s] : a.points) {
    const auto other = std::lower_bound(b.points.begin(), b.points.end(), std::pair(bytes, 0.0));
    const bool here = other != b.points.end() && other->first == bytes &&
                      std::abs(time_s / other->second - 1) <= kSame;
    part = part || (here && last_same);
    last_same = here;
    same += here ? 1 : 0;
  }
  return same == a.points.size() && same == b.points.size() ? Overlap::whole
         : part && !a.squares_only                          ? Overlap::part
                                                            : Overlap::none;
}

// Lists the curves of each group. `part`: the first curve of a group coincides with each of the
// others, but these need not coincide with each other.
std::string in_a_row(const std::vector<std::vector<std::size_t>>& groups,
                     const std::vector<Curve>& curves, bool part) {
  std::string words;
  for (const std::vector<std::size_t>& group : groups) {
    words += words.empty() ? "" : "; ";
    for (std::size_t i = 0; i < group.size(); ++i) {
      const bool last = i + 1 == group.size();
      words += (i == 0   ? ""
                : !part  ? ", "
                : i == 1 ? " with "
                : last   ? " and "
                         : ", ") +
               curves[group[i]].label;
    }
  }
  return words;
}

}  // namespace

std::vector<Curve> curves_of(const TimesTable& table, std::size_t rank) {
  const std::vector<std::size_t> order = by_interest(table);
  std::vector<Curve> curves;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto points = [&](std::optional<double> TimesCell::*member) {
      return points_of(table, rank, order[place], member);
    };
    Curve curve{table.algorithms[order[place]], points(&TimesCell::simulated_s),
                std::min(place, kSeriesColours)};
    Curve measured{std::string(table.squares),
                   points(&TimesCell::measured_s),
                   curve.colour,
                   std::nullopt,
                   true,
                   true};
    measured.squares = table.squares;
    if (table.algorithms.size() == 1) {
      curve.label = table.curves;
      curves.push_back({"exact formula", points(&TimesCell::exact_s), 1, std::nullopt, false});
      curves.push_back(
          {"published formula", points(&TimesCell::published_s), 2, std::nullopt, false});
      measured.colour = 3;
    } else {
      measured.label = fmt::format("{}, {}", curve.label, table.squares);
      if (is_off(table, rank, order[place]) && curve.colour < kSeriesColours) {
        curve.formula = points(&TimesCell::exact_s);
      }
    }
    curves.push_back(std::move(curve));
    curves.push_back(std::move(measured));
  }
  Curve limit{"limit", {}, kSeriesColours, std::nullopt, false};
  limit.is_limit = true;
  for (std::size_t size = 0; size < table.sizes_bytes.size(); ++size) {
    const std::optional<double> bound_s = table.bound_s(rank, size);
    if (bound_s && *bound_s > 0 && table.sizes_bytes[size] > 0) {
      limit.points.emplace_back(static_cast<double>(table.sizes_bytes[size]), *bound_s);
    }
  }
  curves.push_back(std::move(limit));
  std::erase_if(curves, [](const Curve& curve) { return curve.points.empty(); });
  return curves;
}

std::string tell_apart(std::vector<Curve>& curves) {
  constexpr double kDash = 9;
  std::vector<bool> done(curves.size());
  std::vector<std::vector<std::size_t>> whole;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::vector<std::size_t> group{i};
    for (std::size_t j = i + 1; !done[i] && j < curves.size(); ++j) {
      if (!done[j] && overlap(curves[i], curves[j]) == Overlap::whole) {
        done[j] = true;
        group.push_back(j);
      }
    }
    const double period = kDash * static_cast<double>(group.size());
    for (std::size_t place = 1; place < group.size(); ++place) {
      curves[group[place]].dashes = Dashes{kDash, period, kDash * static_cast<double>(place)};
    }
    if (group.size() > 1) {
      whole.push_back(std::move(group));
    }
  }
  // Each group of identical curves is represented by its first curve.
  std::vector<std::vector<std::size_t>> part;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::vector<std::size_t> group{i};
    for (std::size_t j = i + 1; !done[i] && j < curves.size(); ++j) {
      if (!done[j] && overlap(curves[i], curves[j]) == Overlap::part) {
        group.push_back(j);
        if (!curves[j].dashes) {
          curves[j].dashes = Dashes{kDash, 2 * kDash, kDash};
        }
      }
    }
    if (group.size() > 1) {
      part.push_back(std::move(group));
    }
  }
  std::string words;
  if (!whole.empty()) {
    words = "curves that coincide (within 1 %): " + in_a_row(whole, curves, false);
  }
  if (!part.empty()) {
    words += (words.empty() ? "" : ". ") + std::string("Curves that coincide in part: ") +
             in_a_row(part, curves, true);
  }
  return words;
}

}}  // namespace tutti::pictures
