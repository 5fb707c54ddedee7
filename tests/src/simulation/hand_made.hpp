// Builds schedules by hand, with times that are easy to compute.
#pragma once

#include <utility>
#include <vector>

#include "schedules/builder.hpp"
#include "schedules/registry.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/explain/explanation.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti {

// Latency in seconds between two hosts of the crossbar on which the schedules run. Each link of the
// crossbar carries one block per second.
inline constexpr double kLatency = 1;

class ExplainedByHand {
 public:
  // Begins a schedule with `blocks` blocks of 8 bytes.
  explicit ExplainedByHand(std::uint32_t ranks, std::uint32_t blocks)
      : builder_(problem_of(Collective::bcast, ranks, blocks), blocks) {
    machine_.spec.source.crossbar.latency_s = kLatency;
    machine_.spec.source.crossbar.bandwidth_bytes_per_s = 8;
    machine_.spec.source.crossbar.speed_flops_per_s = 1;  // a block takes a second to reduce
    machine_.engine = &engine_named("flow");
    place_ranks(machine_, ranks, 1);
  }

  OpId send(Rank from, Rank to, std::uint32_t blocks, std::vector<OpId> after = {}) {
    return builder_.comm({level_++, 0}, from, to, {{0, blocks}, kWork, kScratch}, after);
  }
  OpId reduce(Rank rank, std::uint32_t blocks, std::vector<OpId> after) {
    return builder_.reduce({level_++, 0}, rank, {{0, blocks}, kScratch, kWork}, Operand::left,
                           after);
  }
  Machine& machine() { return machine_; }

  Explanation explain() {
    return tutti::explain(simulate_file("made.sched", algorithm_named("bcast/linear"),
                                        builder_.finish(), machine_, 0));
  }

 private:
  Machine machine_;
  std::uint32_t level_ = 0;
  ScheduleBuilder builder_;
};

}  // namespace tutti
