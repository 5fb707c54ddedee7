// From the times of tiny schedules to what each operation costs: schedules/cost_curves.hpp.
//
// A schedule takes what its ranks need to get going, and what its operations take one after
// another. Each kind of operation is measured once in a run, and several times in a row: the
// difference is the operation's, the rest is the start's. Where operations are long the start is
// nothing beside them, but the data of several would not fit where those of one do: then one run of
// one operation says what it costs with so much data touched.
//
// Nothing here fails on a noisy machine: what cannot be told from noise is missing, and figures.hpp
// says what to think of the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/cost_curves.hpp"
#include "sim/mpi/plan/found_samples.hpp"

namespace tutti::mpi {

struct MachineFit {
  CostCurves curves;                // empty where a kind cannot be told from noise
  std::vector<FoundSamples> found;  // of every kind that was measured

  [[nodiscard]] const FoundSamples& of(const std::string& what) const;
};

// `sizes_bytes`: of all series, ascending. `far`: between nodes, where that was measured. A curve
// parts at `eager_bytes`, where the protocol changes.
[[nodiscard]] MachineFit fit_machine(const std::vector<std::uint64_t>& sizes_bytes,
                                     const NearSeries& near, const MessageSeries* far,
                                     std::optional<std::uint64_t> eager_bytes);

}  // namespace tutti::mpi
