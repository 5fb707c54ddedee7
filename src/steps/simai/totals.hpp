// The totals of SimAI's analytical mode, for a comparison with simulated times.
//
// Source: report() and compute_time() in Layer.cc, cal_busbw() in calbusbw.cc, and the tables of
// inputs/ratio, in github.com/aliyun/SimAI, commit cef83f9d. Overlap ratios have SimAI's defaults:
// 0 for DP, TP and EP, which makes all of this communication exposed, and 1 for PP, which hides it.
#pragma once

#include <cstdint>

#include "src/steps/simai/workload.hpp"

namespace tutti { inline namespace steps {

// SimAI's options -g_p_s, -n_p_s, -nv and -nic. It takes rates in GB/s as multiples of 2^30 bytes.
struct SimaiMachine {
  std::uint32_t gpus_per_node = 8;
  std::uint32_t nics_per_node = 8;
  double nvlink_gb_per_s = 0;
  double nic_gb_per_s = 0;
};

// All in seconds.
struct SimaiTotals {
  double computing_s = 0;
  double dp_s = 0;  // exposed communication
  double dp_ep_s = 0;
  double tp_s = 0;
  double ep_s = 0;
  double bubble_s = 0;

  [[nodiscard]] double total_s() const {
    return computing_s + dp_s + dp_ep_s + tp_s + ep_s + bubble_s;
  }
};

// Throws UserError, a sentence that says for which collective SimAI's formulas have no result.
[[nodiscard]] SimaiTotals simai_totals(const SimaiWorkload& workload, const SimaiMachine& machine);

}}  // namespace tutti::steps
