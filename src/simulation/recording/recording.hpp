// A run with all that it takes to draw it: who did what when, what that waited for and what held it
// back, and the network that it crossed.
//
// Arrays have one value for each entry. An entry is an operation; of a run of many, it is what the
// ranks of one group sent to those of another, or worked on, in one round, and says how many
// operations that were.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/simulation/explain/explanation.hpp"
#include "src/simulation/recording/drawn_network.hpp"

namespace tutti::inline simulation {

struct RecordedOps {
  std::vector<std::uint8_t> kind;  // OpKind
  std::vector<std::uint32_t> src;  // rank, or group of ranks
  std::vector<std::uint32_t> dst;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint32_t> round;  // level of the schedule
  std::vector<double> ready_s;       // when all was over that it comes after
  std::vector<double> start_s;
  std::vector<double> end_s;
  std::vector<std::uint32_t>
      held_by;                       // that link of DrawnNetwork which cost it most; kNoLink: none
  std::vector<double> lost_s;        // to all links
  std::vector<std::uint32_t> count;  // of operations; empty where an entry is one

  [[nodiscard]] std::size_t size() const { return kind.size(); }
};

struct Recording {
  Explanation explanation;  // with the run, its schedule and its timeline
  RecordedOps ops;
  std::uint32_t ranks_per_group = 1;
  std::optional<DrawnNetwork> network;  // where the engine has one that is known here

  [[nodiscard]] bool merged() const { return !ops.count.empty(); }
};

struct RecordingLimits {
  std::size_t most_ops = 200'000;      // beyond that they are merged, ...
  std::size_t most_entries = 100'000;  // ... to about so many
};

// Of a run that has its schedule and its timeline, which is run once more. Throws as explain().
[[nodiscard]] Recording record(Simulation run, const RecordingLimits& limits = {});

// The same, with what would help, where a run is not so long that ten more of it are too many;
// `machine` is the one that the user asked for.
[[nodiscard]] Recording record_with_improvements(Simulation run, const Machine& machine);

}  // namespace tutti::inline simulation
