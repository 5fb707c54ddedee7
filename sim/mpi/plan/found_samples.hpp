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

// Number of repetitions, for operations that are repeated.
inline constexpr std::uint32_t kRepeats = 4;
// Operations of up to this size are repeated: even then, all data are in the nearest caches.
inline constexpr std::uint64_t kNearBytes = std::uint64_t{64} << 10U;

// Times of whole runs of one kind of operation, by size and round. A size has no rounds if its
// vector would be too large, or if time ran out.
struct Series {
  std::vector<RoundTimes> once_s;
  std::vector<RoundTimes> repeated_s;  // kRepeats operations in a row; sizes up to kNearBytes
  double working_set_per_byte = 2;     // for once_s
};

struct MessageSeries {
  Series one_way;
  Series exchange;
  Series exchange_and_copy;  // the same size at both ends, at the same time; sizes up to kNearBytes
};

// Each reduction follows an exchange of its operands.
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
  std::vector<double> spread;  // distance between the fastest rounds, relative to the sample
  std::vector<double> working_set_bytes;
  std::size_t lost = 0;  // number of measured sizes that cannot be told from noise
};

// Returns the time that a run of messages takes in addition to its messages.
[[nodiscard]] double start_s(const std::vector<std::uint64_t>& sizes_bytes,
                             const MessageSeries& messages);
[[nodiscard]] FoundSamples message_samples(const std::string& what,
                                           const std::vector<std::uint64_t>& sizes_bytes,
                                           const Series& series, double start_s);
// Returns the rest after subtracting the time of the exchanges. For sizes that were not repeated,
// that time comes from `exchange_curve`. If the curve is empty, such sizes have no samples.
[[nodiscard]] FoundSamples reduction_samples(const std::string& what,
                                             const std::vector<std::uint64_t>& sizes_bytes,
                                             const Series& series, const Series& exchange,
                                             const CostCurve& exchange_curve, double start_s);
[[nodiscard]] FoundSamples copy_samples(const std::vector<std::uint64_t>& sizes_bytes,
                                        const Series& series);

// Returns an empty curve for fewer than two samples.
[[nodiscard]] CostCurve curve_through(const FoundSamples& found, double working_set_per_byte,
                                      std::optional<std::uint64_t> eager_bytes);

}  // namespace tutti::mpi
