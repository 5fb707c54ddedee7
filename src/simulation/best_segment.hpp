// --segment auto: the size of a segment for which the model predicts the shortest time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schedules/algorithm.hpp"
#include "schedules/prices.hpp"
#include "sim/engine.hpp"

namespace tutti::inline simulation {

struct BestSegment {
  std::uint64_t bytes = 0;  // of a segment; 0 where the vector is empty, and nothing to cut
  double predicted_s = 0;
  std::uint64_t tried = 0;     // sizes
  bool by_closed_form = true;  // of all of them; else the critical-path engine timed some
  double whole_s = 0;          // what it takes without cutting
  // "86,016 bytes, the best of 1,023 sizes by the closed form: 1.2 ms, against 3 ms uncut"
  [[nodiscard]] std::string in_words() const;
};

// The algorithm must take Option::segment. Where its closed form holds (one port), every number of
// segments is tried; where the critical-path engine must be asked, numbers that double until the
// time has risen, and then ever closer ones around the best. Throws UserError for a problem that
// the algorithm refuses whatever the size.
[[nodiscard]] BestSegment best_segment(const Algorithm& algorithm, const Problem& problem,
                                       const Prices& prices, const RunSetup& setup);

}  // namespace tutti::inline simulation
