// Computes alpha, beta and gamma of the cost formulas from a platform.
#pragma once

#include <cstdint>

#include "platforms/platform.hpp"
#include "schedules/prices.hpp"

namespace tutti { inline namespace sim {

// Returns the prices that follow from `facts`, or those in `given` where it has one. If the
// bandwidth or the speed in `facts` is 0, `given` must have the price.
[[nodiscard]] inline Prices prices_of(const PlatformFacts& facts, const PriceOverrides& given,
                                      std::uint32_t element_bytes, double copy_s_per_byte) {
  return {.alpha_s = given.alpha_s.value_or(facts.latency_s),
          .beta_s_per_byte = given.beta_s_per_byte.value_or(1 / facts.bandwidth_bytes_per_s),
          .gamma_s_per_byte =
              given.gamma_s_per_byte.value_or(1 / (facts.speed_flops_per_s * element_bytes)),
          .copy_s_per_byte = copy_s_per_byte};
}

}}  // namespace tutti::sim
