// A run with all data needed to draw it: the operations with their times, what they waited for and
// what held them back, and the network that their messages crossed.
//
// Arrays have one value for each entry. In a small run, an entry is an operation. In a large run,
// an entry combines the operations of one round and one kind between two groups of ranks, and has
// their number.
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
  std::vector<double> ready_s;       // when its predecessors were done
  std::vector<double> start_s;
  std::vector<double> end_s;
  std::vector<std::uint32_t> held_by;  // link of DrawnNetwork that cost it most; kNoLink: none
  std::vector<double> lost_s;          // time lost to all links
  std::vector<std::uint32_t> count;    // number of operations; empty if each entry is one operation

  [[nodiscard]] std::size_t size() const { return kind.size(); }
};

struct Recording {
  Explanation explanation;  // with the run, its schedule and its timeline
  RecordedOps ops;
  std::uint32_t ranks_per_group = 1;
  std::optional<DrawnNetwork> network;  // set if the engine has a network

  [[nodiscard]] bool merged() const { return !ops.count.empty(); }
};

struct RecordingLimits {
  std::size_t most_ops = 200'000;      // larger runs are merged, ...
  std::size_t most_entries = 100'000;  // ... to at most this many entries, if possible
};

// Records a run that has its schedule and its timeline, by running it once more. Throws as
// explain().
[[nodiscard]] Recording record(Simulation run, const RecordingLimits& limits = {});

// Records the run, and looks for improvements unless the schedule is too large for about ten more
// runs. `machine` is the one that the user requested.
[[nodiscard]] Recording record_with_improvements(Simulation run, const Machine& machine);

}  // namespace tutti::inline simulation
