// From the times of tiny schedules to what each operation costs: schedules/cost_curves.hpp.
//
// A schedule takes what its ranks need to get going, and what its operations take one after
// another. Each kind of operation is measured once in a run, and several times in a row: the
// difference is the operation's, the rest is the start's. Where operations are long the start is
// nothing beside them, but the data of several would not fit where those of one do: then one run of
// one operation says what it costs with so much data touched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/cost_curves.hpp"
#include "sim/mpi/plan/curve_fit.hpp"

namespace tutti::mpi {

// How often an operation is repeated where it is.
inline constexpr std::uint32_t kRepeats = 4;
// Up to here operations are repeated: even then all data are in the nearest caches.
inline constexpr std::uint64_t kNearBytes = std::uint64_t{64} << 10U;

// Whole runs of one kind of operation, by size and pass. All series that are fitted together have
// the same passes: what is compared was measured at nearly the same time, because a machine's speed
// drifts. A size whose vector would be too large has no passes.
struct Series {
  std::vector<std::vector<double>> once_s;
  std::vector<std::vector<double>> repeated_s;  // kRepeats in a row; of sizes up to kNearBytes
  double working_set_per_byte = 2;              // of once_s
};

struct MessageSeries {
  Series one_way;
  Series exchange;
  Series exchange_and_copy;  // as many bytes at both ends, at the same time; sizes up to kNearBytes
};

// Each reduction comes after an exchange of what it reduces.
struct LocalSeries {
  Series reduce;
  Series reduce_sent;
  Series copy;
};

struct NearSeries {
  MessageSeries messages;
  LocalSeries local;
};

// One kind, over the bytes: what was found, before a curve was drawn through it.
struct FoundSamples {
  std::string what;
  std::vector<Sample> samples;
  std::vector<double> spread;
  std::vector<double> working_set_bytes;
};

struct MachineFit {
  CostCurves curves;
  std::vector<FoundSamples> found;  // of every curve that is not empty

  [[nodiscard]] const FoundSamples& of(const std::string& what) const;
};

// `sizes_bytes`: of all series, ascending. `far`: between nodes, where that was measured. A curve
// parts at `eager_bytes`, where the protocol changes. Throws UserError where a kind cannot be told
// from noise.
[[nodiscard]] MachineFit fit_machine(const std::vector<std::uint64_t>& sizes_bytes,
                                     const NearSeries& near, const MessageSeries* far,
                                     std::optional<std::uint64_t> eager_bytes);

}  // namespace tutti::mpi
