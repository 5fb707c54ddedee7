#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/human.hpp"
#include "src/pictures/round_diagram_parts.hpp"

namespace tutti { inline namespace pictures {

namespace {

constexpr double kFoldedHeight = 46;
constexpr double kSlideHeader = 30;
constexpr double kSignRadius = 6.5;

struct Panel {
  Frame frame;  // the area of all rows
  double labels;
  double column;

  [[nodiscard]] double x(std::uint32_t rank) const {
    return frame.left + labels + (rank + 0.5) * column;
  }
};

bool goes_right(const DrawnMessage& one) { return one.src < one.dst; }

double reach(const DrawnMessage& one) {
  return std::sqrt(std::abs(static_cast<double>(one.dst) - static_cast<double>(one.src)));
}

// Heights within a row. Arrows to the right rise above the row's line; arrows to the left hang
// below the line.
struct RowHeights {
  double node;
  double text;
  double per_reach = 0;
  double line = 0;  // distance of the line from the top of the row

  RowHeights(const DrawnRound& round, double height, double column)
      : node(height >= 60 && column >= 42 ? 11 : 4), text(std::clamp(height * 0.19, 10.0, 17.0)) {
    double right = 0;
    double left = 0;
    for (const DrawnMessage& one : round.messages) {
      (goes_right(one) ? right : left) = std::max(goes_right(one) ? right : left, reach(one));
    }
    const double words = ((right > 0 ? 1 : 0) + (left > 0 ? 1 : 0)) * (text + 3);
    const double free = height - 2 * node - words - 6;
    constexpr double kMostPerReach = 64;
    per_reach = std::clamp(free / std::max(right + left, 1.0), 2.0, kMostPerReach);
    // Distributes the remaining space evenly above and below.
    const double used = per_reach * (right + left) + 2 * node + words;
    line = std::max(0.0, height - used) / 2 + per_reach * right + node + (right > 0 ? text + 3 : 0);
  }
};

std::string tip_of(const DrawnMessage& one, const std::string& row, std::uint64_t of_blocks) {
  const std::string blocks = blocks_in_words(one.blocks, of_blocks, one.scratch);
  return fmt::format("{}: rank {} to rank {}\n{}{}{}", row, one.src, one.dst,
                     human_bytes(one.bytes), one.count > 1 ? " in " : "",
                     one.count > 1 ? counted(one.count, "message") : "") +
         (blocks.empty() ? "" : (one.scratch ? "\nplaces in scratch: " : "\nblocks: ") + blocks);
}

// Returns the CSS classes for the area of a message.
std::string classes_of(const DrawnMessage& one, std::uint64_t of_blocks) {
  const std::vector<std::uint64_t>& blocks = one.blocks;
  if (one.scratch) {
    return kScratchClass;
  }
  if (blocks.empty() || of_blocks == 0) {
    return "f0";
  }
  const std::uint64_t first = std::min(blocks.front(), of_blocks - 1);
  return of_blocks <= kSeriesColours
             ? fmt::format("f{}", first)
             : fmt::format("q{}", kLightest + first * (kDarkest - kLightest + 1) / of_blocks);
}

// Shortens a sentence, part by part from its end, until it fits into `most` lines.
std::vector<std::string> fitting(std::string words, double width, double size, std::size_t most) {
  constexpr std::size_t kAll = 99;
  while (wrapped(words, width, size, kAll).size() > most) {
    const std::size_t part = words.find_last_of(";,");
    if (part == std::string::npos) {
      return {};
    }
    words.resize(part);
  }
  return wrapped(words, width, size, kAll);
}

// Draws an arrow along the arc() with the same `from`, `to` and `rise`, as a filled area, so that
// the CSS classes for areas (see svg.hpp) can colour it.
void draw_ribbon(Svg& svg, Point from, Point to, double rise, double width,
                 std::string_view classes, std::string_view tip) {
  std::vector<Point> line = arc(from, to, rise);
  // The head of the arrow replaces the last points of the line.
  const double head = 3.6 * width;
  while (line.size() > 2 && std::hypot(line.back().x - to.x, line.back().y - to.y) < head) {
    line.pop_back();
  }
  std::vector<Point> there;
  std::vector<Point> back;
  Point along{0, 0};
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Point next = i + 1 < line.size() ? line[i + 1] : to;
    const double length = std::max(std::hypot(next.x - line[i].x, next.y - line[i].y), 1e-9);
    along = {(next.x - line[i].x) / length, (next.y - line[i].y) / length};
    const Point aside{-along.y * width / 2, along.x * width / 2};
    there.push_back({line[i].x + aside.x, line[i].y + aside.y});
    back.push_back({line[i].x - aside.x, line[i].y - aside.y});
  }
  const Point aside{-along.y * head * 0.42, along.x * head * 0.42};
  there.push_back({line.back().x + aside.x, line.back().y + aside.y});
  there.push_back(to);
  there.push_back({line.back().x - aside.x, line.back().y - aside.y});
  there.insert(there.end(), back.rbegin(), back.rend());
  svg.polygon(there, classes, tip);
}

// Draws a local operation of a rank: a circle with a plus for a reduction, a square for a copy.
void draw_sign(Svg& svg, Point at, bool reduces, std::string_view tip) {
  if (reduces) {
    svg.circle(at, kSignRadius, "paper", tip);
    std::vector<Point> ring;
    for (int i = 0; i <= 20; ++i) {
      const double turn = i * 3.14159265358979 / 10;
      ring.push_back({at.x + kSignRadius * std::cos(turn), at.y + kSignRadius * std::sin(turn)});
    }
    svg.polyline(ring, "ink");
    svg.line({at.x - kSignRadius, at.y}, {at.x + kSignRadius, at.y}, "ink");
    svg.line({at.x, at.y - kSignRadius}, {at.x, at.y + kSignRadius}, "ink");
    return;
  }
  const double half = kSignRadius - 1;
  svg.rectangle({at.x - half, at.y - half}, 2 * half, 2 * half, "paper", tip);
  svg.polyline({{at.x - half, at.y - half},
                {at.x + half, at.y - half},
                {at.x + half, at.y + half},
                {at.x - half, at.y + half},
                {at.x - half, at.y - half}},
               "ink");
}

// Draws labels, none of which overlaps another.
class Labels {
 public:
  explicit Labels(double size) : size_(size) {}

  // Draws the first of the texts that fits. Returns false if none does.
  bool put(Svg& svg, Point baseline, double room, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const double half = text_width(text, size_) / 2;
      const Frame box{baseline.x - half - 2, baseline.y - size_, baseline.x + half + 2,
                      baseline.y + 2};
      if (text.empty() || 2 * half > room || touches(box)) {
        continue;
      }
      taken_.push_back(box);
      svg.rectangle({box.left + 1, box.top + 2}, box.right - box.left - 2, size_, "paper");
      svg.text(baseline, text, Anchor::middle, "ink", size_);
      return true;
    }
    return false;
  }

 private:
  [[nodiscard]] bool touches(const Frame& box) const {
    return std::any_of(taken_.begin(), taken_.end(), [&](const Frame& other) {
      return box.left < other.right && other.left < box.right && box.top < other.bottom &&
             other.top < box.bottom;
    });
  }

  double size_;
  std::vector<Frame> taken_;
};

class Slide {
 public:
  Slide(Svg& svg, const DrawnSchedule& schedule) : svg_(svg), schedule_(schedule) {}

  void put(const Panel& panel, const std::vector<DiagramRow>& rows) {
    for (std::uint32_t rank = 0; rank < schedule_.ranks; ++rank) {
      const double x = panel.x(rank);
      svg_.text({x, panel.frame.top - 10}, fmt::format("{}", rank), Anchor::middle, "ink bold", 15);
      svg_.line({x, panel.frame.top}, {x, panel.frame.bottom}, "grid");
    }
    svg_.text({panel.x(0) - panel.column / 2 - 8, panel.frame.top - 10}, "rank", Anchor::end,
              "muted", 14);
    const auto folded = static_cast<double>(
        std::count_if(rows.begin(), rows.end(), [](const DiagramRow& row) { return !row.drawn; }));
    const double drawn = static_cast<double>(rows.size()) - folded;
    const double height =
        (panel.frame.bottom - panel.frame.top - folded * kFoldedHeight) / std::max(drawn, 1.0);
    double y = panel.frame.top;
    for (const DiagramRow& row : rows) {
      if (row.drawn) {
        put_round(panel, row, y, std::min(height, kMostRow));
        y += std::min(height, kMostRow);
      } else {
        put_folded(panel, row, y);
        y += kFoldedHeight;
      }
      svg_.line({panel.frame.left, y}, {panel.frame.right, y}, "grid");
    }
  }

  [[nodiscard]] std::size_t unlabelled() const { return unlabelled_; }

 private:
  static constexpr double kMostRow = 480;

  void put_folded(const Panel& panel, const DiagramRow& row, double top) {
    svg_.rectangle({panel.frame.left, top + 1}, panel.frame.right - panel.frame.left,
                   kFoldedHeight - 2, "q0");
    const double indent = text_width(row.name, 14) * 1.12 + 18;
    const auto lines = wrapped(row.words, panel.frame.right - panel.frame.left - indent - 6, 14, 2);
    const double y = top + kFoldedHeight / 2 + (lines.size() == 1 ? 5 : -4);
    svg_.text({panel.frame.left + 6, y}, row.name, Anchor::start, "ink bold", 14);
    svg_.lines({panel.frame.left + indent, y}, lines, 18, "ink", 14);
  }

  void put_words(const Panel& panel, const DiagramRow& row, double top, double height) {
    const double size = height < 50 ? 12 : 13;
    const double apart = size + 3;
    const double head = height < 50 ? 13 : 16;
    const double room = std::max(0.0, (height - head - 6) / apart);
    const auto words = fitting(row.words, panel.labels - 10, size,
                               std::min<std::size_t>(static_cast<std::size_t>(room), 5));
    const double used = head + static_cast<double>(words.size()) * apart;
    const double y = top + (height - used) / 2 + head * 0.85;
    svg_.text({panel.frame.left, y}, row.name, Anchor::start, "ink bold", head);
    svg_.lines({panel.frame.left, y + apart}, words, apart, "muted", size);
  }

  void put_round(const Panel& panel, const DiagramRow& row, double top, double height) {
    put_words(panel, row, top, height);
    const DrawnRound& round = schedule_.rounds[row.first];
    const RowHeights heights(round, height, panel.column);
    const double line = top + heights.line;
    // Long arrows are drawn first, so that the ends of short arrows are on top.
    std::vector<const DrawnMessage*> messages;
    for (const DrawnMessage& one : round.messages) {
      if (one.src != one.dst) {
        messages.push_back(&one);
      }
    }
    std::stable_sort(
        messages.begin(), messages.end(),
        [](const DrawnMessage* a, const DrawnMessage* b) { return reach(*a) > reach(*b); });
    for (const DrawnMessage* one : messages) {
      const double side = goes_right(*one) ? 1 : -1;
      const double y = line - side * heights.node * 0.95;
      const double aside = side * heights.node * 0.45;
      draw_ribbon(svg_, {panel.x(one->src) + aside, y}, {panel.x(one->dst) - aside, y},
                  side * reach(*one) * heights.per_reach, std::clamp(height / 40, 1.5, 2.6),
                  classes_of(*one, schedule_.blocks), tip_of(*one, row.name, schedule_.blocks));
    }
    for (std::uint32_t rank = 0; rank < schedule_.ranks; ++rank) {
      svg_.circle({panel.x(rank), line}, heights.node, heights.node > 8 ? "q1" : "q3");
      if (heights.node > 8) {
        svg_.text({panel.x(rank), line + 4.5}, fmt::format("{}", rank), Anchor::middle, "ink", 12);
      }
    }
    put_labels(panel, messages, heights, line);
    put_signs(panel, row, line, heights.node);
  }

  void put_labels(const Panel& panel, const std::vector<const DrawnMessage*>& messages,
                  const RowHeights& heights, double line) {
    Labels labels(heights.text);
    for (const DrawnMessage* one : messages) {
      if (one->blocks.empty()) {
        continue;
      }
      const double rise = reach(*one) * heights.per_reach + heights.node;
      const double y = goes_right(*one) ? line - rise - 4 : line + rise + heights.text + 1;
      const double x = (panel.x(one->src) + panel.x(one->dst)) / 2;
      // A label may extend over neighbouring columns, because labels that would overlap are not
      // drawn.
      const double room =
          std::max(1.8 * panel.column, std::abs(panel.x(one->src) - panel.x(one->dst)));
      const bool fits = labels.put(svg_, {x, y}, room - 4,
                                   {blocks_in_words(one->blocks, schedule_.blocks, one->scratch),
                                    fmt::format("{} blocks", one->blocks.size())});
      unlabelled_ += fits ? 0 : 1;
    }
  }

  // Draws the signs of reductions and copies beside a rank, since arrows begin and end above and
  // below the rank.
  void put_signs(const Panel& panel, const DiagramRow& row, double y, double node) {
    std::vector<std::uint32_t> signs(schedule_.ranks);
    for (const DrawnWork& one : schedule_.rounds[row.first].work) {
      // A rank that copies and reduces has two signs.
      const double x =
          panel.x(one.rank) + node + kSignRadius + 3 + signs[one.rank]++ * (2 * kSignRadius + 3);
      const std::string blocks = blocks_in_words(one.blocks, schedule_.blocks, one.scratch);
      draw_sign(svg_, {x, y}, one.reduces,
                fmt::format("{}: rank {} {} {}{}", row.name, one.rank,
                            one.reduces ? "reduces" : "copies", human_bytes(one.bytes),
                            blocks.empty()
                                ? ""
                                : (one.scratch ? "\nplaces in scratch: " : "\nblocks: ") + blocks));
    }
  }

  Svg& svg_;
  const DrawnSchedule& schedule_;
  std::size_t unlabelled_ = 0;
};

Panel panel_of(const Frame& frame, std::uint32_t ranks, double labels) {
  return {{frame.left, frame.top + kSlideHeader, frame.right, frame.bottom},
          labels,
          (frame.right - frame.left - labels) / ranks};
}

}  // namespace

std::size_t draw_slide(Svg& svg, const DrawnSchedule& schedule, const std::vector<DiagramRow>& rows,
                       const Frame& area) {
  Slide slide(svg, schedule);
  constexpr std::size_t kMostInOne = 8;
  if (rows.size() <= kMostInOne) {
    slide.put(panel_of(area, schedule.ranks, 230), rows);
    return slide.unlabelled();
  }
  const auto half = static_cast<std::ptrdiff_t>((rows.size() + 1) / 2);
  constexpr double kGap = 36;
  const double middle = (area.left + area.right) / 2;
  slide.put(panel_of({area.left, area.top, middle - kGap / 2, area.bottom}, schedule.ranks, 130),
            {rows.begin(), rows.begin() + half});
  slide.put(panel_of({middle + kGap / 2, area.top, area.right, area.bottom}, schedule.ranks, 130),
            {rows.begin() + half, rows.end()});
  return slide.unlabelled();
}

}}  // namespace tutti::pictures
