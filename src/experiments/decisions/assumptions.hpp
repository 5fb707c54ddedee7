// Finds by simulation in which cells the best algorithm of a comparison depends on an assumption:
// on the default values of options, or on the number of ports.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/messages.hpp"
#include "src/experiments/compare/cell_winners.hpp"

namespace tutti { inline namespace experiments {

// A cell in which another algorithm, or another value of an option, is the best under another
// assumption.
struct OtherBest {
  std::size_t rank = 0;  // index into Comparison::ranks
  std::size_t size = 0;  // index into Comparison::sizes_bytes
  std::string best;      // the best algorithm under the other assumption, with its options
  double seconds = 0;    // its time
  std::string instead;   // the best algorithm of the comparison
  double loss = 0;  // 0.1 if `instead` takes 10 % longer than `best` under the other assumption
};

struct Assumptions {
  // Cells in which an algorithm with another value of an option is faster than all algorithms with
  // their default values.
  std::vector<OtherBest> values;
  std::vector<OtherBest> ports;   // cells in which another algorithm is the best with `other_ports`
  std::uint32_t other_ports = 0;  // as in RunSetup::ports
};

// Decides the cells of a comparison again with all values of all options, and runs its contenders
// again with unlimited ports or, if ports are unlimited, with one. `request` must be the request of
// `comparison`. Finds nothing if this may take long, or if times are random.
[[nodiscard]] Assumptions assumptions_of(const Comparison& comparison, const WinnerMap& winners,
                                         const ComparisonRequest& request, std::size_t jobs,
                                         Messages& messages);

}}  // namespace tutti::experiments
