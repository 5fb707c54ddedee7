// Computes the cost of each kind of operation (schedules/cost_curves.hpp) from the times of tiny
// schedules.
//
// The time of a schedule is the sum of a start time, which its ranks need to begin, and of the
// times of its successive operations. Each kind of operation is measured in runs with one operation
// and in runs with several. The difference between these runs is the time of the additional
// operations, and what remains of a run is the start time. For long operations the start time is
// negligible. Moreover, the data of several long operations would not fit into a cache that has
// room for the data of one. So the time of a long operation comes from runs with one operation
// only.
//
// The functions do not fail on a noisy machine. They leave out results that cannot be distinguished
// from noise, and figures.hpp rates the others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/cost_curves.hpp"
#include "sim/mpi/plan/found_samples.hpp"

namespace tutti::mpi {

struct MachineFit {
  // A curve is empty if its kind of operation cannot be distinguished from noise.
  CostCurves curves;
  std::vector<FoundSamples> found;  // samples of each kind of operation that was measured

  [[nodiscard]] const FoundSamples& of(const std::string& what) const;
};

// Fits a curve to each series. `sizes_bytes` are the sizes of all series, ascending. `far` contains
// the series of messages between nodes; null: not measured. Curves of messages are split at
// `eager_bytes`, where the protocol changes.
[[nodiscard]] MachineFit fit_machine(const std::vector<std::uint64_t>& sizes_bytes,
                                     const NearSeries& near, const MessageSeries* far,
                                     std::optional<std::uint64_t> eager_bytes);

}  // namespace tutti::mpi
