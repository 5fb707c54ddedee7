// Parts of the picture of a schedule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/pictures/axis.hpp"
#include "src/pictures/drawn_schedule.hpp"
#include "src/pictures/legend.hpp"
#include "src/pictures/round_diagram_rows.hpp"
#include "src/pictures/svg.hpp"

namespace tutti::inline pictures {

// Colours messages by the first block that they carry: with colours if there are few blocks, with
// shades if there are many.
class BlockColours {
 public:
  explicit BlockColours(std::uint64_t blocks) : blocks_(blocks) {}

  // CSS classes for the area of a message that carries these blocks.
  [[nodiscard]] std::string of(const std::vector<std::uint64_t>& blocks) const;
  void put(Legend& legend) const;

 private:
  std::uint64_t blocks_;
};

// Draws each message as an arrow, which suits few ranks. Returns the number of labels that did not
// fit.
std::size_t draw_slide(Svg& svg, const DrawnSchedule& schedule, const std::vector<DiagramRow>& rows,
                       const Frame& area);

// Draws a sentence and a row of arcs per round, which suits many ranks. Returns the number of ranks
// that each end of an arc represents.
std::uint32_t draw_summary(Svg& svg, const DrawnSchedule& schedule,
                           const std::vector<DiagramRow>& rows, const Frame& area);

}  // namespace tutti::inline pictures
