// The job of NCCL that a measured curve describes, and the ways that it ran.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/experiments/decisions/nccl_answer.hpp"
#include "src/experiments/doctor/measured_curve.hpp"
#include "src/requests/nccl_options.hpp"

namespace tutti { inline namespace experiments {

// The trays of a rack with one NVLink domain have hosts of their own. A host has no more GPUs.
inline constexpr std::uint32_t kMostGpusOfHost = 16;

// Sets the number of GPUs of a node, unless the options determine it, and in take_release(), the
// release that the log names. `assumed` receives what the curve does not say.
void take_nodes(const MeasuredCurve& curve, NcclOptions& options,
                std::vector<std::string>& assumed);
void take_release(const MeasuredCurve& curve, NcclOptions& options,
                  std::vector<std::string>& assumed);

// True if the environment of the run (NCCL_ALGO, NCCL_PROTO, NCCL_NVLS_ENABLE) lets NCCL choose the
// way.
[[nodiscard]] bool is_allowed(const LogFacts& log, const NcclWay& way);
// Returns the way that NCCL runs under the environment; null if there is none.
[[nodiscard]] NcclWay* chosen_way(const LogFacts& log, NcclAnswer& answer);

}}  // namespace tutti::experiments
