#include "schedules/patterns/halving_cube.hpp"

#include "base/plural.hpp"

namespace tutti { inline namespace schedules {

HalvingCube::HalvingCube(const Problem& problem, ScheduleBuilder& builder, End end, Joining joining)
    : joining_(joining),
      base_ranks_(power_of_two_below(problem.ranks)),
      removed_(problem.ranks - base_ranks_),
      levels_(floor_log2(base_ranks_)),
      root_(problem.root),
      emitted_(builder.emitted_ranks(base_ranks_)),
      rounds_(builder),
      width_(base_ranks_),
      kept_(builder.takes_part() ? builder.classes().count() : base_ranks_, 0) {
  const std::size_t exchanges = std::size_t{base_ranks_} * levels_;
  const std::size_t folding =
      (joining == Joining::halves || joining == Joining::halves_to_even ? 5 : 2) *
      std::size_t{removed_};
  const std::size_t gathering = base_ranks_ - 1U + (root_is_folded() ? 1U : 0U);
  builder.reserve(
      folding + 2 * exchanges + (end == End::everywhere ? exchanges + removed_ : gathering),
      9 * exchanges + 16 * std::size_t{removed_});
}

std::optional<Sentence> HalvingCube::refusal(const Problem& problem) {
  const std::uint32_t base = power_of_two_below(problem.ranks);
  if (problem.cuts == Cuts::mpich) {
    return sentence("with $cuts mpich, whole vectors are folded; use {} instead",
                    problem.collective == Collective::reduce ? "reduce_scatter_gather"
                                                             : "reduce_scatter_allgather");
  }
  if (problem.elements() < base) {
    return sentence(
        "{} on {} ranks; the vector is halved down to {}, so it needs at least {} (count >= "
        "2^floor(lg p))",
        number_of(problem.elements(), "element"), problem.ranks, number_of(base, "block"),
        number_of(base, "element"));
  }
  return std::nullopt;
}

double HalvingCube::exchanges_s(const Problem& problem, const Prices& prices) {
  const double base = power_of_two_below(problem.ranks);
  const double share_bytes = (base - 1) / base * static_cast<double>(problem.bytes);
  return 2 * floor_log2(problem.ranks) * prices.alpha_s +
         share_bytes * (2 * prices.beta_s_per_byte + prices.gamma_s_per_byte);
}

BlockLayout HalvingCube::layout(const Problem& problem) {
  if (problem.cuts == Cuts::open_mpi) {
    // If the number of elements is odd, the second half is longer.
    std::vector<std::uint64_t> sizes{problem.elements()};
    while (sizes.size() < power_of_two_below(problem.ranks)) {
      std::vector<std::uint64_t> halves;
      halves.reserve(2 * sizes.size());
      for (const std::uint64_t size : sizes) {
        halves.push_back(size / 2);
        halves.push_back(size - size / 2);
      }
      sizes = std::move(halves);
    }
    return BlockLayout::irregular(sizes, problem.element_bytes);
  }
  return BlockLayout::even(problem.elements(), power_of_two_below(problem.ranks),
                           problem.element_bytes);
}

Rank HalvingCube::base(std::uint32_t v) const {
  if (v >= removed_) {
    return v + removed_;
  }
  switch (joining_) {
    case Joining::halves:
      return root_ == 2 * v + 1 ? root_ : 2 * v;
    case Joining::whole_to_odd:
      return 2 * v + 1;
    case Joining::whole_to_even:
    case Joining::halves_to_even:
      return v == 0 && root_plays_0_ ? root_ : 2 * v;
  }
  return 2 * v;
}

void HalvingCube::fold() {
  if (removed_ == 0) {
    return;
  }
  if (joining_ == Joining::halves || joining_ == Joining::halves_to_even) {
    fold_halves();
  } else {
    fold_whole();
  }
}

void HalvingCube::fold_whole() {
  const BlockSet all{0, base_ranks_};
  rounds_.next();
  for (std::uint32_t v = 0; v < removed_; ++v) {
    rounds_.comm(folded(v), base(v), {all, kWork, kScratch});
    rounds_.reduce(base(v), {all, kScratch, kWork},
                   joining_ == Joining::whole_to_odd ? Operand::left : Operand::right);
  }
}

void HalvingCube::fold_halves() {
  const std::uint32_t half = base_ranks_ / 2;
  const BlockSet first_half{0, half};
  const BlockSet second_half{half, half};
  rounds_.next();
  for (std::uint32_t v = 0; v < removed_; ++v) {
    const Rank even = 2 * v;
    const Rank odd = 2 * v + 1;
    rounds_.comm(even, odd, {second_half, kWork, kScratch});
    rounds_.comm(odd, even, {first_half, kWork, kScratch});
    rounds_.reduce(even, {first_half, kScratch, kWork}, Operand::right);
    rounds_.reduce(odd, {second_half, kScratch, kWork}, Operand::left);
  }
  rounds_.next();
  for (std::uint32_t v = 0; v < removed_; ++v) {
    const BlockSet half_of_folded = folded(v) % 2 == 0 ? first_half : second_half;
    rounds_.comm(folded(v), base(v), {half_of_folded, kWork, kWork});
  }
}

void HalvingCube::reduce_scatter() {
  for (std::uint32_t level = 0; level < levels_; ++level) {
    width_ /= 2;
    rounds_.next();
    const auto upper = [level](std::uint32_t v) { return v >> level & 1U; };
    std::uint32_t* kept = kept_.data();
    for (const std::uint32_t v : emitted_) {
      const std::uint32_t given = *kept++ + (upper(v) != 0 ? 0 : width_);
      rounds_.comm(base(v), base(v ^ 1U << level), {{given, width_}, kWork, kScratch});
    }
    kept = kept_.data();
    for (const std::uint32_t v : emitted_) {
      *kept += upper(v) * width_;
      rounds_.reduce(base(v), {{*kept++, width_}, kScratch, kWork},
                     upper(v) != 0 ? Operand::left : Operand::right);
    }
  }
}

void HalvingCube::allgather() {
  for (std::uint32_t level = levels_; level-- > 0;) {
    rounds_.next();
    std::uint32_t* kept = kept_.data();
    for (const std::uint32_t v : emitted_) {
      rounds_.comm(base(v), base(v ^ 1U << level), {{*kept++, width_}, kWork, kWork});
    }
    kept = kept_.data();
    for (const std::uint32_t v : emitted_) {
      *kept++ -= (v >> level & 1U) * width_;
    }
    width_ *= 2;
  }
}

void HalvingCube::unfold() {
  if (removed_ == 0) {
    return;
  }
  rounds_.next();
  for (std::uint32_t v = 0; v < removed_; ++v) {
    rounds_.comm(base(v), folded(v), {{0, base_ranks_}, kWork, kWork});
  }
}

void HalvingCube::gather_to_root() {
  TUTTI_INVARIANT(kept_.size() == base_ranks_);
  std::uint32_t virtual_root = root_ < 2 * removed_ ? root_ / 2 : root_ - removed_;
  if (root_is_folded()) {
    rounds_.next();
    rounds_.comm(0, root_, {{kept_[0], width_}, kWork, kWork});
    root_plays_0_ = true;
    virtual_root = 0;
  }
  for (std::uint32_t level = levels_; level-- > 0;) {
    rounds_.next();
    const std::uint32_t bit = 1U << level;
    for (std::uint32_t v = 0; v < base_ranks_; ++v) {
      // Only virtual ranks that agree with the root in all higher bits take part. Half of them
      // send.
      const bool active = v >> (level + 1) == virtual_root >> (level + 1);
      if (active && ((v ^ virtual_root) & bit) != 0) {
        rounds_.comm(base(v), base(v ^ bit), {{kept_[v], width_}, kWork, kWork});
      }
    }
    for (std::uint32_t v = 0; v < base_ranks_; ++v) {
      kept_[v] -= (v >> level & 1U) * width_;
    }
    width_ *= 2;
  }
}

}}  // namespace tutti::schedules
