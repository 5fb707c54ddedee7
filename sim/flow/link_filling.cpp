#include "sim/flow/link_filling.hpp"

namespace tutti { inline namespace sim {

// Computes the level by iteration. Each level follows from all bounds below the previous level; the
// iteration ends when no bound lies between two successive levels. If it begins below the result,
// the levels rise to the result. If it begins above, the second level is below the result, because
// claimed bandwidth is a concave function of the level. The result equals that of level_in_order(),
// unless rounding decides which bounds are below the level.
LinkFilling::Result LinkFilling::level(double capacity_bytes_per_s, ExactClaim claims,
                                       double guess) {
  if (parts_.size() == 1) {
    return not_full();
  }
  double level = guess;
  for (std::size_t steps = 0; steps < kMostSteps; ++steps) {
    const Remainder left = left_below(level, capacity_bytes_per_s, claims);
    const bool takes_all = left.used_bytes_per_s >= capacity_bytes_per_s * (1 - kRounding);
    if (takes_all && steps == 0) {
      level = 0;  // the guess was far too high
      continue;
    }
    if (left.held == parts_.size()) {
      // Something else holds all flows back, so the link is not full. But if the flows use the
      // whole capacity up to rounding, only level_in_order() can decide this.
      if (takes_all) {
        break;
      }
      return {kNotFull, left.used_bytes_per_s, 0};
    }
    level = level_of_rest(capacity_bytes_per_s, left.rest, left.open);
    if (left.last < level && level <= left.next) {
      if (left.held > 0 &&
          (level - left.last) * as_double(left.open) <= kRounding * capacity_bytes_per_s) {
        break;
      }
      return {level, 0, as_double(left.open)};
    }
  }
  return level_in_order(capacity_bytes_per_s, claims);
}

// The loop has no branches, because it is unpredictable which parts are below the level.
LinkFilling::Remainder LinkFilling::left_below(double level, double capacity_bytes_per_s,
                                               ExactClaim claims) const {
  Remainder left;
  std::uint64_t taken = 0;  // unsigned, because it may exceed 64 bits if `level` is too high
  std::int64_t held = 0;
  ExactClaim held_claims = 0;
  for (const Part& part : parts_) {
    const std::int64_t below = part.bound < level ? 1 : 0;
    const double bound = part.bound < level ? part.bound : 0;
    left.last = std::max(left.last, bound);
    left.next = std::min(left.next, part.bound < level ? kNotFull : part.bound);
    const double used = part.claim * bound;
    left.used_bytes_per_s += used;
    taken += static_cast<std::uint64_t>(
        exact_part(std::min(used, 2 * capacity_bytes_per_s), capacity_bytes_per_s));
    held_claims += exact_claim(part.claim) & -static_cast<ExactClaim>(below);
    held += below;
  }
  left.rest = static_cast<std::int64_t>(static_cast<std::uint64_t>(kWhole) - taken);
  left.open = claims - held_claims;
  left.held = static_cast<std::size_t>(held);
  return left;
}

LinkFilling::Result LinkFilling::level_in_order(double capacity_bytes_per_s, ExactClaim claims) {
  std::sort(parts_.begin(), parts_.end(),
            [](const Part& a, const Part& b) { return a.bound < b.bound; });
  std::int64_t rest = kWhole;
  double level = level_of_rest(capacity_bytes_per_s, rest, claims);
  for (auto part = parts_.begin(); part != parts_.end();) {
    const double bound = part->bound;
    if (bound >= level) {
      return {level, 0, as_double(claims)};
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
  return {kNotFull, used, 0};
}

}}  // namespace tutti::sim
