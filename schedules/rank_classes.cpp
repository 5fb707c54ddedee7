#include "schedules/rank_classes.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

RankClasses RankClasses::of_all(Symmetry symmetry, std::uint32_t p) {
  if (symmetry == Symmetry::rotation) {
    return turned(p, 1);
  }
  std::vector<Rank> masks;
  for (Rank bit = 1; bit < p; bit *= 2) {
    masks.push_back(bit);
  }
  return exchanged(p, masks);
}

RankClasses RankClasses::largest(const RankSymmetry& symmetry, std::uint32_t p) {
  return symmetry.distance == 1 ? of_all(*symmetry.symmetry, p) : turned(p, symmetry.distance);
}

RankClasses RankClasses::turned(std::uint32_t p, std::uint32_t distance) {
  TUTTI_INVARIANT(distance > 0 && p % distance == 0);
  RankClasses classes;
  classes.ranks_ = p;
  classes.count_ = distance;
  classes.moves_ = {distance};
  return classes;
}

std::vector<Rank> independent_masks(std::span<const Rank> masks) {
  std::vector<Rank> basis;
  for (Rank mask : masks) {
    for (const Rank known : basis) {
      // Clears the highest bit of `known` in `mask`.
      mask = std::min(mask, mask ^ known);
    }
    if (mask == 0) {
      continue;
    }
    const Rank highest = std::bit_floor(mask);
    for (Rank& known : basis) {
      if ((known & highest) != 0) {
        known ^= mask;
      }
    }
    basis.push_back(mask);
  }
  return basis;
}

RankClasses RankClasses::exchanged(std::uint32_t p, std::span<const Rank> masks) {
  TUTTI_INVARIANT(std::has_single_bit(p));
  TUTTI_INVARIANT(std::ranges::all_of(masks, [p](Rank mask) { return mask < p; }));
  RankClasses classes;
  classes.symmetry_ = Symmetry::exchange;
  classes.ranks_ = p;
  classes.moves_ = independent_masks(masks);
  const std::vector<Rank>& basis = classes.moves_;
  for (const Rank mask : basis) {
    classes.highest_bits_ |= std::bit_floor(mask);
  }
  classes.count_ = p >> basis.size();
  if (classes.count_ == 1) {
    return classes;
  }
  classes.class_of_.resize(p);
  for (Rank rank = 0; rank < p; ++rank) {
    if ((rank & classes.highest_bits_) == 0) {
      classes.class_of_[rank] = static_cast<std::uint32_t>(classes.first_.size());
      classes.first_.push_back(rank);
      continue;
    }
    Rank first = rank;
    for (const Rank mask : basis) {
      first = (first & std::bit_floor(mask)) != 0 ? first ^ mask : first;
    }
    // class_of_[first] is already set, because first < rank.
    classes.class_of_[rank] = classes.class_of_[first];
  }
  return classes;
}

RankClasses RankClasses::moved(Symmetry symmetry, std::uint32_t p, std::span<const Rank> moves) {
  if (symmetry == Symmetry::exchange) {
    return exchanged(p, moves);
  }
  TUTTI_INVARIANT(moves.size() == 1);
  return turned(p, moves.front());
}

}}  // namespace tutti::schedules
