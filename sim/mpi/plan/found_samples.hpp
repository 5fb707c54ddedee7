// From times of whole runs to seconds of one operation, over the bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/cost_curves.hpp"
#include "sim/mpi/plan/curve_fit.hpp"
#include "sim/mpi/plan/round_times.hpp"

namespace tutti::mpi {

// How often an operation is repeated where it is.
inline constexpr std::uint32_t kRepeats = 4;
// Up to here operations are repeated: even then all data are in the nearest caches.
inline constexpr std::uint64_t kNearBytes = std::uint64_t{64} << 10U;

// Whole runs of one kind of operation, by size and round. A size whose vector would be too large,
// or that there was no time for, has no rounds.
struct Series {
  std::vector<RoundTimes> once_s;
  std::vector<RoundTimes> repeated_s;  // kRepeats in a row; of sizes up to kNearBytes
  double working_set_per_byte = 2;     // of once_s
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
  std::vector<double> spread;  // how far the fastest rounds are apart, relative to the sample
  std::vector<double> working_set_bytes;
  std::size_t lost = 0;  // sizes that were measured, and cannot be told from noise
};

// What a run of messages takes beside its messages.
[[nodiscard]] double start_s(const std::vector<std::uint64_t>& sizes_bytes,
                             const MessageSeries& messages);
[[nodiscard]] FoundSamples message_samples(const std::string& what,
                                           const std::vector<std::uint64_t>& sizes_bytes,
                                           const Series& series, double start_s);
// What is left when the exchanges are taken off; of sizes that were not repeated, by their curve.
// Where that is empty, these sizes are not to be had.
[[nodiscard]] FoundSamples reduction_samples(const std::string& what,
                                             const std::vector<std::uint64_t>& sizes_bytes,
                                             const Series& series, const Series& exchange,
                                             const CostCurve& exchange_curve, double start_s);
[[nodiscard]] FoundSamples copy_samples(const std::vector<std::uint64_t>& sizes_bytes,
                                        const Series& series);

// Empty for fewer than two samples.
[[nodiscard]] CostCurve curve_through(const FoundSamples& found, double working_set_per_byte,
                                      std::optional<std::uint64_t> eager_bytes);

}  // namespace tutti::mpi
