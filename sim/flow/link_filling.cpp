#include "sim/flow/link_filling.hpp"

namespace tutti {

LinkFilling::Result LinkFilling::level(double capacity_bytes_per_s, ExactClaim claims) {
  if (parts_.size() == 1) {
    return not_full();
  }
  // All bounds below the level at once, which is the same unless rounding decides what is below.
  ExactClaim open = claims;
  std::int64_t rest = kWhole;
  double level = level_of_rest(capacity_bytes_per_s, rest, open);
  double last = 0;  // bound
  auto open_end = parts_.end();
  while (true) {
    const auto held = std::partition(parts_.begin(), open_end,
                                     [level](const Part& part) { return part.bound >= level; });
    if (held == open_end) {
      break;
    }
    for (auto part = held; part != open_end; ++part) {
      rest -= exact_part(part->claim * part->bound, capacity_bytes_per_s);
      open -= exact_claim(part->claim);
      last = std::max(last, part->bound);
    }
    open_end = held;
    if (held == parts_.begin()) {
      // The last that is held back takes what the others leave, or less.
      const double most = capacity_bytes_per_s * (1 - kRounding);
      const Result result = not_full();
      return result.used_bytes_per_s < most ? result : level_in_order(capacity_bytes_per_s, claims);
    }
    level = level_of_rest(capacity_bytes_per_s, rest, open);
  }
  if (open_end != parts_.end() &&
      (level - last) * as_double(open) <= kRounding * capacity_bytes_per_s) {
    return level_in_order(capacity_bytes_per_s, claims);
  }
  return {level, 0};
}

LinkFilling::Result LinkFilling::level_in_order(double capacity_bytes_per_s, ExactClaim claims) {
  std::sort(parts_.begin(), parts_.end(),
            [](const Part& a, const Part& b) { return a.bound < b.bound; });
  std::int64_t rest = kWhole;
  double level = level_of_rest(capacity_bytes_per_s, rest, claims);
  for (auto part = parts_.begin(); part != parts_.end();) {
    const double bound = part->bound;
    if (bound >= level) {
      return {level, 0};
    }
    for (; part != parts_.end() && part->bound == bound; ++part) {
      rest -= exact_part(part->claim * bound, capacity_bytes_per_s);
      claims -= exact_claim(part->claim);
    }
    if (part != parts_.end()) {
      level = std::max(just_above(bound), level_of_rest(capacity_bytes_per_s, rest, claims));
    }
  }
  return not_full();
}

LinkFilling::Result LinkFilling::not_full() const {
  double used = 0;
  for (const Part& part : parts_) {
    used += part.claim * part.bound;
  }
  return {kNotFull, used};
}

}  // namespace tutti
