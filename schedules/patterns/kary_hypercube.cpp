#include "schedules/patterns/kary_hypercube.hpp"

#include <algorithm>

namespace tutti { inline namespace schedules {

std::optional<Sentence> refuse_radix_1(const Problem& problem) {
  if (problem.radix == 1) {
    return Sentence("$radix 1: must be at least 2");
  }
  return std::nullopt;
}

KaryHypercube::KaryHypercube(std::uint32_t ranks, std::uint32_t radix, Extras extras)
    : ranks_(ranks), radix_(radix), extras_(extras), weights_{1} {
  if (extras != Extras::round_robin) {
    radix_ = std::min(radix, std::max(ranks, 2U));
  }
  const auto add_digit = [this](std::uint32_t base) {
    radices_.push_back(base);
    base_ *= base;
    weights_.push_back(base_);
  };
  while (base_ <= ranks / radix_) {
    add_digit(radix_);
  }
  if (const std::uint32_t cubes = ranks / base_; extras == Extras::after_proxy && cubes > 1) {
    add_digit(cubes);
  }
  full_ = extras == Extras::before_proxy ? extra_ranks() / (radix_ - 1) : 0;
}

std::uint32_t KaryHypercube::mirror(std::uint32_t v) const {
  std::uint32_t mirrored = 0;
  for (std::uint32_t digit = 0; digit < digits(); ++digit) {
    mirrored = mirrored * radices_[digit] + value(v, digit);
  }
  return mirrored;
}

}}  // namespace tutti::schedules
