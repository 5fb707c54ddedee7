// Computes the time of a single operation, by size, from the times of whole runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/cost_curves.hpp"
#include "sim/mpi/plan/curve_fit.hpp"
#include "sim/mpi/plan/round_times.hpp"

namespace tutti::mpi {

// Number of times that a run repeats an operation of up to kNearBytes.
inline constexpr std::uint32_t kRepeats = 4;
// Operations of up to this size are repeated. The data of all repetitions still fit into the
// nearest caches.
inline constexpr std::uint64_t kNearBytes = std::uint64_t{64} << 10U;

// Times of whole runs of one kind of operation, by size and round. A size has no rounds if its
// vector would be too large, or if the time limit was reached.
struct Series {
  std::vector<RoundTimes> once_s;
  std::vector<RoundTimes> repeated_s;  // runs of kRepeats operations; sizes up to kNearBytes
  double working_set_per_byte = 2;     // bytes that a run in once_s touches, per byte of size
};

struct MessageSeries {
  Series one_way;
  Series exchange;
  // Exchanges during which both ends copy a block of the size of a message; sizes up to kNearBytes.
  Series exchange_and_copy;
};

// Series of local operations. In `reduce` and `reduce_sent`, each reduction follows an exchange of
// its operands. In `reduce_sent`, a rank reduces into the block that it has just sent; in `reduce`,
// into another one.
struct LocalSeries {
  Series reduce;
  Series reduce_sent;
  Series copy;
};

struct NearSeries {
  MessageSeries messages;
  LocalSeries local;
};

// Samples of one kind of operation, before a curve is fitted.
struct FoundSamples {
  std::string what;
  std::vector<Sample> samples;
  std::vector<double> spread;  // apart_s() of the rounds, relative to the sample
  std::vector<double> working_set_bytes;
  std::size_t lost = 0;  // number of measured sizes whose time cannot be distinguished from noise
};

// Returns the time by which a run of messages takes longer than the sum of the times of its
// messages.
[[nodiscard]] double start_s(const std::vector<std::uint64_t>& sizes_bytes,
                             const MessageSeries& messages);
[[nodiscard]] FoundSamples message_samples(const std::string& what,
                                           const std::vector<std::uint64_t>& sizes_bytes,
                                           const Series& series, double start_s);
// Returns the times of reductions: the times of runs minus those of the exchanges in the runs. For
// sizes that were not repeated, the time of an exchange comes from `exchange_curve`. If the curve
// is empty, these sizes have no samples.
[[nodiscard]] FoundSamples reduction_samples(const std::string& what,
                                             const std::vector<std::uint64_t>& sizes_bytes,
                                             const Series& series, const Series& exchange,
                                             const CostCurve& exchange_curve, double start_s);
[[nodiscard]] FoundSamples copy_samples(const std::vector<std::uint64_t>& sizes_bytes,
                                        const Series& series);

// Returns a curve fitted to the samples; an empty curve if there are fewer than two samples.
[[nodiscard]] CostCurve curve_through(const FoundSamples& found, double working_set_per_byte,
                                      std::optional<std::uint64_t> eager_bytes);

}  // namespace tutti::mpi
