// Shapes of curves that point to causes. Each function looks for one shape, and returns what it
// found, or nothing.
//
// Sources of thresholds: healthy sweeps of 8 A100, 8 H100, 8 H200, 8 and 32 B200 and 16 H100
// (stas00/ml-engineering, network/benchmarks; NVIDIA/dgxc-benchmarking, nccl/README; a user's A3
// Mega), and the corpus of tests/cli/test_doctor.py.
#pragma once

#include <optional>
#include <span>

#include "src/experiments/doctor/diagnosis.hpp"

namespace tutti { inline namespace experiments {

// Healthy machines reach at least this share of the lowest expected rate: 0.91 was the least.
inline constexpr double kRightShare = 0.88;
// Below this share of the lowest expected rate, a rate is slow rather than low.
inline constexpr double kLowShare = 0.75;
// Healthy machines take up to this many start-up times longer than expected, within a node (A100:
// 4.2) and between nodes (InfiniBand and EFA: 3.5).
inline constexpr double kMoreStartups = 5;

// Libraries change from eager to rendezvous messages between these sizes. Messages just above the
// threshold commonly take up to kBadStep times as long for their size as those below it.
inline constexpr std::uint64_t kSmallestStep = 512;
inline constexpr std::uint64_t kLargestStep = 512U << 10U;
inline constexpr double kBadStep = 2;

using ShapeCheck = std::optional<Symptom> (*)(const Diagnosis& of);

// Shapes of invalid outputs; if one of them is found, no other shape is looked for.
[[nodiscard]] std::span<const ShapeCheck> validity_shapes();
// Shapes of the rate at large sizes.
[[nodiscard]] std::span<const ShapeCheck> plateau_shapes();
// Shapes of messages between pairs of ranks.
[[nodiscard]] std::span<const ShapeCheck> pair_shapes();
// Shapes of single sizes and of ranges of sizes.
[[nodiscard]] std::span<const ShapeCheck> step_shapes();
// Shapes that explain numbers that are right.
[[nodiscard]] std::span<const ShapeCheck> remark_shapes();

// Returns a rate as "94.6 GB/s".
[[nodiscard]] std::string gb_per_s(double rate);

// Returns the command that runs the benchmark of `of` with `change`, such as "NCCL_ALGO=Ring", in
// its environment, for the same sizes, or for `sizes`, such as "-b 8 -e 64K". Returns "" for
// benchmarks other than nccl-tests.
[[nodiscard]] std::string again_with(const Diagnosis& of, const std::string& change,
                                     const std::string& sizes = "");

}}  // namespace tutti::experiments
