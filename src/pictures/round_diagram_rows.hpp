// Which rounds of a schedule get a row of a picture, and what is said of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/pictures/drawn_schedule.hpp"

namespace tutti::inline pictures {

struct DiagramRow {
  std::size_t first = 0;  // rounds, as they stand in the schedule
  std::size_t last = 0;
  bool drawn = true;  // else words alone stand for them
  std::string name;   // "round 3", "rounds 4-125"
  // "32 pairs exchange at distance 8, 128 KiB each; each rank reduces". How large messages are is
  // left out where all of the schedule are alike.
  std::string words;
};

// At most so many rows. Where there are more rounds, those of the same pattern are folded; where
// that is not enough, the last row counts what is not drawn.
[[nodiscard]] std::vector<DiagramRow> diagram_rows(const DrawnSchedule& schedule, std::size_t most);

}  // namespace tutti::inline pictures
