#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/human.hpp"
#include "src/pictures/space_time_layout.hpp"

namespace tutti { inline namespace pictures {

namespace {

// Draws the head of an arrow, which is shorter for a short arrow.
void draw_head(Svg& svg, Point from, Point to, double size, std::string_view classes) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < 0.5) {
    return;
  }
  const double head = std::min(size, length);
  const Point along{(to.x - from.x) / length, (to.y - from.y) / length};
  const Point base{to.x - along.x * head, to.y - along.y * head};
  const double half = head * 0.4;
  svg.polygon({to,
               {base.x - along.y * half, base.y + along.x * half},
               {base.x + along.y * half, base.y - along.x * half}},
              classes);
}

double head_size(const SpaceTimeLayout& layout) {
  return std::clamp(layout.row_height * 0.3, 3.0, 9.0);
}

void draw_message(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout, std::size_t i,
                  std::size_t colour, std::string_view tip) {
  const Point from{layout.time(run.start_s[i]), layout.y(run.src[i])};
  const Point to{layout.time(run.end_s[i]), layout.y(run.dst[i])};
  svg.line(from, to, fmt::format("s{}", colour), tip);
  draw_head(svg, from, to, head_size(layout), fmt::format("f{}", colour));
}

void draw_work(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout, std::size_t i,
               std::size_t colour, std::string_view tip) {
  const double x = layout.time(run.start_s[i]);
  const double width = std::max(layout.time(run.end_s[i]) - x, 0.5);
  const double height = layout.bar_height();
  svg.rectangle({x, layout.y(run.src[i]) - height / 2}, width, height,
                fmt::format("f{} faint", colour), tip);
}

// Marks the times in which operations were ready, but had not started.
void draw_waiting(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout) {
  const double height = layout.bar_height() * 0.7;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const double x = layout.time(run.ready_s[i]);
    const double width = layout.time(run.start_s[i]) - x;
    if (width >= 0.5) {
      svg.rectangle({x, layout.y(run.src[i]) - height / 2}, width, height, "q2");
    }
  }
}

}  // namespace

RoundColours::RoundColours(std::uint32_t rounds)
    : rounds_(rounds),
      count_(rounds == 0   ? 1
             : rounds <= 8 ? rounds
                           : 4) {}

std::string RoundColours::name(std::size_t colour) const {
  if (rounds_ <= count_) {
    return fmt::format("round {}", colour);
  }
  return fmt::format("rounds {}, {}, {} \u2026", colour, colour + count_, colour + 2 * count_);
}

std::string entry_in_words(const RecordedRun& run, std::size_t i) {
  std::string words = run.merged() ? counted(run.count[i], kKindNouns[run.kind[i]])
                                   : fmt::format("{} {}", kKindNouns[run.kind[i]], i);
  words += ": " + run.row_in_words(run.src[i]);
  if (run.is_message(i)) {
    words += " to " + run.row_in_words(run.dst[i]);
  }
  words += fmt::format("\n{}, round {}\n{} to {}", human_bytes(run.bytes[i]), run.round[i],
                       human_time(run.start_s[i]), human_time(run.end_s[i]));
  // The operations of a merged entry begin at different times, so that they have no common waiting
  // time.
  if (!run.merged() && run.start_s[i] > run.ready_s[i]) {
    words += fmt::format("\nready at {}, waited {}", human_time(run.ready_s[i]),
                         human_time(run.start_s[i] - run.ready_s[i]));
  }
  if (run.held_by[i] >= 0) {
    words += fmt::format("\nlost {} to sharing, mostly on {}", human_time(run.lost_s[i]),
                         run.link_places[static_cast<std::size_t>(run.held_by[i])]);
  }
  return words;
}

void draw_ranks(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout) {
  constexpr double kApart = 15;
  const auto every = static_cast<std::uint32_t>(std::ceil(kApart / layout.row_height));
  // Labels rows at multiples of a power of two, since algorithms change their behaviour at powers
  // of two.
  std::uint32_t step = 1;
  while (step < every) {
    step *= 2;
  }
  std::vector<Tick> ticks;
  for (std::uint64_t row = 0; row < run.rows; row += step) {
    const auto at = static_cast<std::uint32_t>(row);
    ticks.push_back({layout.y(at), run.row_label(at)});
  }
  // The ticks are already positions.
  draw_vertical_axis(svg, layout.frame, Scale::linear(0, 1, 0, 1), ticks,
                     run.ranks_per_row == 1 ? "rank" : "ranks");
}

void draw_entries(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout,
                  const RoundColours& colours) {
  if (!run.merged()) {
    draw_waiting(svg, run, layout);
  }
  const bool tips = run.size() <= kMostTips;
  for (std::size_t colour = 0; colour < colours.count(); ++colour) {
    svg.open_group(colours.name(colour));
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (colours.of(run.round[i]) == colour) {
        const std::string tip = tips ? entry_in_words(run, i) : std::string();
        (run.is_message(i) ? draw_message : draw_work)(svg, run, layout, i, colour, tip);
      }
    }
    svg.close_group();
  }
}

void draw_chain(Svg& svg, const RecordedRun& run, const SpaceTimeLayout& layout) {
  const bool tips = run.size() <= kMostTips;
  svg.open_group("critical chain");
  for (std::size_t step = 0; step < run.chain.size(); ++step) {
    const std::uint32_t i = run.chain[step];
    const Point from{layout.time(run.start_s[i]), layout.y(run.src[i])};
    const Point to{layout.time(run.end_s[i]), layout.y(run.dst[i])};
    if (step > 0) {
      const double before = layout.time(run.end_s[run.chain[step - 1]]);
      if (from.x - before > 0.5) {
        svg.line({before, from.y}, from, "ink dash2");
      }
    }
    svg.line(from, to, "ink thick",
             tips ? entry_in_words(run, i) + "\non the critical chain" : std::string());
    if (run.is_message(i)) {
      draw_head(svg, from, to, head_size(layout) + 1, "ink");
    }
  }
  svg.close_group();
}

}}  // namespace tutti::pictures
