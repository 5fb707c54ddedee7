// What the picture of a schedule is put together from.
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

// Messages by the first block that they carry: few blocks have colours, many have shades.
class BlockColours {
 public:
  explicit BlockColours(std::uint64_t blocks) : blocks_(blocks) {}

  // Classes of an area.
  [[nodiscard]] std::string of(const std::vector<std::uint64_t>& blocks) const;
  void put(Legend& legend) const;

 private:
  std::uint64_t blocks_;
};

// Each message as an arrow: for few ranks. Says how many labels did not fit.
std::size_t draw_slide(Svg& svg, const DrawnSchedule& schedule, const std::vector<DiagramRow>& rows,
                       const Frame& area);

// A sentence and a line of arcs per round: for many ranks. Says how many ranks an end of an arc is.
std::uint32_t draw_summary(Svg& svg, const DrawnSchedule& schedule,
                           const std::vector<DiagramRow>& rows, const Frame& area);

}  // namespace tutti::inline pictures
