// Two runs against each other: where they part, by what the time goes to, by round and by link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/simulation/explain/explanation.hpp"

namespace tutti::inline simulation {

// Of both runs, the first one first.
template <typename Value>
struct Both {
  Value first{};
  Value second{};
};

struct Contrast {
  struct Row {
    std::string what;  // "start-up"; of sharing, by class: "slowed by sharing leaf up-links"
    Both<double> seconds;
  };
  struct Round {
    Both<double> end_s;  // of its last operation; -1: there is no such round
    Both<std::uint64_t> messages;
    Both<std::uint64_t> bytes;
  };
  struct Link {
    std::string name;
    std::string place;
    Both<std::uint64_t> bytes;
    Both<double> lost_s;
  };

  std::vector<Row> rows;      // those that differ most first
  std::vector<Round> rounds;  // by level
  std::vector<Link> links;    // likewise by what was lost, then by bytes
};

[[nodiscard]] Contrast contrast(const Explanation& first, const Explanation& second);

}  // namespace tutti::inline simulation
