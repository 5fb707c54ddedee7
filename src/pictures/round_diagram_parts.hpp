// Parts of the picture of a schedule.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/pictures/axis.hpp"
#include "src/pictures/drawn_schedule.hpp"
#include "src/pictures/svg.hpp"

namespace tutti { inline namespace pictures {

// A round, or several rounds with the same pattern.
struct DiagramRow {
  std::size_t first = 0;  // index of the first round
  std::size_t last = 0;
  bool drawn = true;  // true: drawn; false: only described in words
  std::string name;   // "round 3", "rounds 4-125"
  // "32 pairs exchange at distance 8, 128 KiB each; each rank reduces". The size is left out if all
  // messages of the schedule have the same size.
  std::string words;
};

// Returns at most `most` rows. If there are more rounds than that, consecutive rounds with the same
// pattern are folded into one row. If there are still more than `most` rows, the last row counts
// the remaining messages.
[[nodiscard]] std::vector<DiagramRow> diagram_rows(const DrawnSchedule& schedule, std::size_t most);

// Shades of messages, if there are too many blocks for colours. Shades lighter than q3 are hard to
// see as lines.
inline constexpr std::uint64_t kLightest = 3;
inline constexpr std::uint64_t kDarkest = kShades - 1;
// CSS class of messages that carry places in scratch.
inline constexpr const char* kScratchClass = "muted";

// Returns the points of an arc between two points of a horizontal line. `rise`: height above the
// line, or below it if negative.
[[nodiscard]] std::vector<Point> arc(Point from, Point to, double rise);

// Draws each message as an arrow, which suits few ranks. Messages are coloured by the first block
// that they carry: with colours if there are few blocks, with shades if there are many. Returns the
// number of labels that did not fit.
std::size_t draw_slide(Svg& svg, const DrawnSchedule& schedule, const std::vector<DiagramRow>& rows,
                       const Frame& area);

// Draws a sentence and a row of arcs per round, which suits many ranks. Returns the number of ranks
// that each end of an arc represents.
std::uint32_t draw_summary(Svg& svg, const DrawnSchedule& schedule,
                           const std::vector<DiagramRow>& rows, const Frame& area);

}}  // namespace tutti::pictures
