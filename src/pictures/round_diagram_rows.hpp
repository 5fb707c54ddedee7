// Selects the rounds of a schedule that get a row in a picture, and describes them in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/pictures/drawn_schedule.hpp"

namespace tutti::inline pictures {

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

}  // namespace tutti::inline pictures
