#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "src/pictures/round_diagram_parts.hpp"

namespace tutti { inline namespace pictures {

namespace {

constexpr double kText = 490;  // width of the sentences, in pixels
constexpr double kSummaryHeader = 26;

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

Pairs pairs_of(const DrawnRound& round, std::uint32_t ranks_per_end) {
  Pairs pairs;
  for (const DrawnMessage& one : round.messages) {
    pairs.emplace(one.src / ranks_per_end, one.dst / ranks_per_end);
  }
  return pairs;
}

// Returns the number of ranks that each end of an arc represents, large enough that the arcs of a
// round can be told apart.
std::uint32_t ranks_per_end(const DrawnSchedule& schedule, const std::vector<DiagramRow>& rows) {
  constexpr std::uint32_t kMostEnds = 128;
  constexpr std::size_t kMostArcs = 600;
  std::uint32_t ranks = 1;
  while ((schedule.ranks - 1) / ranks + 1 > kMostEnds) {
    ranks *= 2;
  }
  const auto too_many = [&](const DiagramRow& row) {
    return row.drawn && pairs_of(schedule.rounds[row.first], ranks).size() > kMostArcs;
  };
  while (ranks < schedule.ranks && std::any_of(rows.begin(), rows.end(), too_many)) {
    ranks *= 2;
  }
  return ranks;
}

// Draws messages to higher ranks above the line, and messages to lower ranks below it.
void draw_arcs(Svg& svg, const Pairs& pairs, const Scale& place, double middle, double half) {
  double farthest = 1;
  for (const auto& [src, dst] : pairs) {
    farthest = std::max(farthest, std::abs(static_cast<double>(dst) - src));
  }
  for (const auto& [src, dst] : pairs) {
    const Point from{place(src + 0.5), middle};
    const Point to{place(dst + 0.5), middle};
    if (src == dst) {
      svg.circle(from, 1.6, "f0");
      continue;
    }
    const double far = std::sqrt(std::abs(static_cast<double>(dst) - src) / farthest);
    const double rise = std::min(half, 10 + far * (half - 10));
    svg.polyline(arc(from, to, src < dst ? rise : -rise), src < dst ? "s0 thin" : "s1 thin");
  }
}

void draw_scale(Svg& svg, const Scale& place, std::uint32_t ranks, std::uint32_t per_end,
                const Frame& area) {
  std::uint32_t step = 1;
  while (place(step) - place(0) < 44) {
    step *= 2;
  }
  svg.text({place.from() - 12, area.top + 14}, "rank", Anchor::end, "muted", 13);
  const std::uint32_t ends = (ranks - 1) / per_end + 1;
  for (std::uint32_t end = 0; end < ends; end += step) {
    const double x = place(end + 0.5);
    svg.text({x, area.top + 14}, fmt::format("{}", std::uint64_t{end} * per_end), Anchor::middle,
             "ink", 13);
    svg.line({x, area.top + kSummaryHeader - 6}, {x, area.bottom}, "grid");
  }
}

}  // namespace

std::vector<Point> arc(Point from, Point to, double rise) {
  const auto pieces = static_cast<unsigned>(std::clamp(std::abs(to.x - from.x) / 18, 10.0, 36.0));
  // A cubic curve rises to three quarters of the height of its control points. The control points
  // are moved inwards, so that the curve starts and ends steeply.
  const double lean = (to.x - from.x) * 0.25;
  const Point first{from.x + lean, from.y - rise * 4 / 3};
  const Point second{to.x - lean, to.y - rise * 4 / 3};
  std::vector<Point> points;
  for (unsigned i = 0; i <= pieces; ++i) {
    const double t = static_cast<double>(i) / pieces;
    const double u = 1 - t;
    const double a = u * u * u;
    const double b = 3 * u * u * t;
    const double c = 3 * u * t * t;
    const double d = t * t * t;
    points.push_back({a * from.x + b * first.x + c * second.x + d * to.x,
                      a * from.y + b * first.y + c * second.y + d * to.y});
  }
  return points;
}

std::uint32_t draw_summary(Svg& svg, const DrawnSchedule& schedule,
                           const std::vector<DiagramRow>& rows, const Frame& area) {
  const std::uint32_t per_end = ranks_per_end(schedule, rows);
  const std::uint32_t ends = (schedule.ranks - 1) / per_end + 1;
  const double left = area.left + kText + 20;
  const Scale place = Scale::linear(0, ends, left, area.right);
  constexpr double kMostRow = 300;
  constexpr double kFolded = 0.8;  // height of a folded row divided by that of a drawn row
  double weight = 0;
  for (const DiagramRow& row : rows) {
    weight += row.drawn ? 1 : kFolded;
  }
  const double height = std::min(kMostRow, (area.bottom - area.top - kSummaryHeader) / weight);
  draw_scale(svg, place, schedule.ranks, per_end,
             {left, area.top, area.right, area.top + kSummaryHeader + weight * height});
  double y = area.top + kSummaryHeader;
  for (const DiagramRow& row : rows) {
    const double own = row.drawn ? height : height * kFolded;
    if (!row.drawn) {
      svg.rectangle({area.left, y + 1}, area.right - area.left, own - 2, "q0");
    }
    const double width = row.drawn ? kText : area.right - area.left;
    const double name = std::max(96.0, text_width(row.name, 15) * 1.12 + 12);
    const auto lines = wrapped(row.words, width - name - 6, 14, own >= 34 ? 2 : 1);
    const double baseline = y + own / 2 + 5 - (static_cast<double>(lines.size()) - 1) * 8.5;
    svg.text({area.left + 6, baseline}, row.name, Anchor::start, "ink bold", 15);
    svg.lines({area.left + name, baseline}, lines, 17, "ink", 14);
    if (row.drawn) {
      const double middle = y + own / 2;
      svg.line({left, middle}, {area.right, middle}, "muted");
      draw_arcs(svg, pairs_of(schedule.rounds[row.first], per_end), place, middle, own / 2 - 3);
    }
    y += own;
    svg.line({area.left, y}, {area.right, y}, "grid");
  }
  return per_end;
}

}}  // namespace tutti::pictures
