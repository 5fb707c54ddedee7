// Chooses the segment size for --segment auto: the size for which the model predicts the shortest
// time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schedules/algorithm.hpp"
#include "schedules/prices.hpp"
#include "sim/engine.hpp"

namespace tutti { inline namespace simulation {

struct BestSegment {
  std::uint64_t bytes = 0;  // size of a segment; 0 if the vector is empty
  double predicted_s = 0;
  std::uint64_t tried = 0;  // number of sizes tried
  // True if all times come from the closed form; false if the critical-path engine timed some of
  // the sizes.
  bool by_closed_form = true;
  double whole_s = 0;  // time if the vector is not cut, in seconds
  // Describes the choice: "86,016 bytes, the best of 1,023 sizes by the closed form: 1.2 ms,
  // against 3 ms if not segmented".
  [[nodiscard]] std::string in_words() const;
};

// Returns the best segment size. The algorithm must take Option::segment. If the machine has one
// port, and the algorithm's closed form holds on it, tries every number of segments. Otherwise, the
// critical-path engine times each candidate: the number of segments doubles until the time stops
// falling, and then ever smaller steps from the best number are tried. Throws UserError if the
// algorithm rejects the problem even with a single segment.
[[nodiscard]] BestSegment best_segment(const Algorithm& algorithm, const Problem& problem,
                                       const Prices& prices, const RunSetup& setup);

}}  // namespace tutti::simulation
