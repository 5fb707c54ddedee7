// Computes the cost of each kind of operation (schedules/cost_curves.hpp) from the times of tiny
// schedules.
//
// The time of a schedule is a start, which its ranks need to begin, and the sum of its successive
// operations. Each kind of operation is measured once in a run, and several times in a row. The
// difference is the operation's time, and the rest is the start's. For long operations the start is
// negligible. But the data of several long operations would not fit into a cache that holds the
// data of one. So a run of one operation then gives its cost with that amount of data touched.
//
// Nothing here fails on a noisy machine: results that cannot be told from noise are missing, and
// figures.hpp rates the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/cost_curves.hpp"
#include "sim/mpi/plan/found_samples.hpp"

namespace tutti::mpi {

struct MachineFit {
  CostCurves curves;                // a curve is empty if its kind cannot be told from noise
  std::vector<FoundSamples> found;  // samples of every kind that was measured

  [[nodiscard]] const FoundSamples& of(const std::string& what) const;
};

// `sizes_bytes` are the sizes of all series, ascending. `far` has the messages between nodes, if
// they were measured. Curves of messages are split at `eager_bytes`, where the protocol changes.
[[nodiscard]] MachineFit fit_machine(const std::vector<std::uint64_t>& sizes_bytes,
                                     const NearSeries& near, const MessageSeries* far,
                                     std::optional<std::uint64_t> eager_bytes);

}  // namespace tutti::mpi
