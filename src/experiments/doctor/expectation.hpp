// The times that a healthy machine would measure: those of the library's own choice of algorithm,
// by NCCL's cost model and by simulation, and the least time that the hardware allows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/doctor/machine_rates.hpp"
#include "src/experiments/doctor/measured_curve.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/nccl_options.hpp"

namespace tutti { inline namespace experiments {

struct ExpectedRow {
  double low_s = 0;                    // the shortest of the times below
  double high_s = 0;                   // the longest of the times below
  std::optional<double> model_s;       // by NCCL's cost model
  std::optional<double> also_model_s;  // by the model of Expectation::also_by
  std::optional<double> simulated_s;   // simulated time of the equivalent schedule
  double startup_s = 0;                // part of high_s that does not depend on the size
  std::string choice;                  // "ring with simple", "allreduce/ring"
  std::optional<double> limit_s;       // no schedule is faster
};
// Returns the range: "86.7 us" or "86.7 us to 126 us".
[[nodiscard]] std::string in_words(const ExpectedRow& row);

struct Expectation {
  std::string machine;               // "2 nodes of 8 h100"
  std::string by;                    // "NCCL 2.29.7"
  std::string also_by;               // the release whose model widened the range; "" if none
  std::vector<std::string> assumed;  // what was not known, a phrase each
  // Why a low rate may be right, as the end of a sentence with "or"; "" if the machine is known.
  std::string unsure;
  std::optional<MachineRates> rates;  // of nodes with GPUs
  std::string why_not;                // why nothing is expected; "" otherwise
  // As many as the curve has rows; all empty if nothing is expected.
  std::vector<std::optional<ExpectedRow>> rows;
  // If NVLS is the choice for the largest size: the time of the fastest other algorithm by NCCL's
  // model.
  std::optional<double> without_nvls_s;
};

// True if no cost model covers the call on these GPUs, but the rate of rings is known. The model of
// RCCL covers whole nodes, and neither alltoall nor sendrecv. `gpu` is a name of
// $gpu.
[[nodiscard]] bool has_only_rings(const MeasuredCurve& curve, std::string_view gpu);
// Expects that rings reach the usable rate of the links of a node, and that of its cards.
void expect_rings(const MeasuredCurve& curve, std::string_view gpu, const NcclOptions& options,
                  Expectation& expected);

struct ExpectationOptions {
  NcclOptions nccl;
  bool release_given = false;
  std::optional<std::string> library;        // name of an MPI library
  std::optional<std::string> platform_file;  // path of the platform
  const OpenedMachine* platform = nullptr;   // null if the user names none
};

// Returns what is expected of NCCL. Never throws UserError for what the file lacks: `why_not` says
// it.
[[nodiscard]] Expectation nccl_expectation(const MeasuredCurve& curve,
                                           const ExpectationOptions& options);
// Returns what is expected of an MPI library on the platform that the user names: the time of the
// algorithm that ran, of the library's own choice, or if these are not known, of the fastest
// algorithm.
[[nodiscard]] Expectation mpi_expectation(const MeasuredCurve& curve,
                                          const ExpectationOptions& options);

// Returns what is expected of messages between pairs of ranks.
[[nodiscard]] Expectation pair_expectation(const MeasuredCurve& curve,
                                           const ExpectationOptions& options);

}}  // namespace tutti::experiments
