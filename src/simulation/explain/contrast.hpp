// Compares two runs: where they differ, by kind of spending, by round and by link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/simulation/explain/explanation.hpp"

namespace tutti { inline namespace simulation {

// A value for each of the two runs.
template <typename Value>
struct Both {
  Value first{};
  Value second{};
};

struct Contrast {
  struct Row {
    // Kind of spending: "start-up"; for sharing, with the class of links: "slowed by sharing leaf
    // up-links".
    std::string what;
    Both<double> seconds;
  };
  struct Round {
    // End of the round's last operation, in seconds; -1 if the run has no such round.
    Both<double> end_s;
    Both<std::uint64_t> messages;
    Both<std::uint64_t> bytes;
  };
  struct Link {
    std::string name;
    std::string place;
    Both<std::uint64_t> bytes;
    Both<double> lost_s;
  };

  std::vector<Row> rows;      // largest difference first
  std::vector<Round> rounds;  // in the order of the schedule's levels
  std::vector<Link> links;    // largest difference of lost_s first, then of bytes
};

[[nodiscard]] Contrast contrast(const Explanation& first, const Explanation& second);

}}  // namespace tutti::simulation
