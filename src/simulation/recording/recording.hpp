// Records a run with all data needed to draw it: the operations, their times, what they waited for
// and which links slowed them, and the network that the messages crossed.
//
// The arrays of RecordedOps have one value for each entry. In a small run, an entry is an
// operation. In a large run, an entry combines the operations of one round and one kind between two
// groups of ranks, and `count` is their number.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/simulation/explain/explanation.hpp"
#include "src/simulation/recording/drawn_network.hpp"

namespace tutti { inline namespace simulation {

struct RecordedOps {
  std::vector<std::uint8_t> kind;  // OpKind
  std::vector<std::uint32_t> src;  // rank, or group of ranks
  std::vector<std::uint32_t> dst;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint32_t> round;  // level of the schedule
  std::vector<double> ready_s;       // when the entry's predecessors were done
  std::vector<double> start_s;
  std::vector<double> end_s;
  // Index in DrawnNetwork::links of the link that cost the entry the most time; kNoLink if no link
  // cost time.
  std::vector<std::uint32_t> held_by;
  std::vector<double> lost_s;        // time lost to all links
  std::vector<std::uint32_t> count;  // number of operations; empty if each entry is one operation

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
  std::size_t most_ops = 200'000;      // runs with more operations are merged
  std::size_t most_entries = 100'000;  // largest number of entries of a merged run, where possible
};

// Records a run, which must include its schedule and its timeline. Repeats the run once. Throws the
// same errors as explain().
[[nodiscard]] Recording record(Simulation run, const RecordingLimits& limits = {});

// Records the run, and looks for improvements unless the schedule is too large for about ten more
// runs. `machine` is the one that the user requested.
[[nodiscard]] Recording record_with_improvements(Simulation run, const Machine& machine);

}}  // namespace tutti::simulation
