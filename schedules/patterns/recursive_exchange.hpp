// Collectives on a k-ary hypercube: extra ranks send their data to their proxies, groups exchange
// data digit by digit, and the extra ranks get the result.
//
// All messages of a phase start together. If a rank has fewer ports than messages, the messages
// take turns: the j-th message of a rank goes to the j-th other rank of its group, so that in each
// turn every rank sends and receives. MPICH and UCC send the same messages in other orders. The
// data of a phase are combined after all of them have arrived: first those from ranks with a lower
// digit, nearest first, as left operands, then those from ranks with a higher digit, as right
// operands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/kary_hypercube.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules {

class RecursiveExchange {
 public:
  // Ranks of the cube are numbered relative to `root`.
  RecursiveExchange(const KaryHypercube& cube, ScheduleBuilder& builder, Rank root = 0)
      : cube_(cube),
        builder_(builder),
        root_(root),
        phases_(builder, std::max(2 * (cube.radix() - 1), cube.most_extras())) {}

  // Extras send their `blocks` to their proxies, which combine the data with their own.
  void take_in_sums(const BlockSet& blocks) {
    from_extras([&](Rank, std::uint32_t i) { return Move{blocks, kWork, slot(i)}; });
    const Operand side = cube_.extras_first() ? Operand::left : Operand::right;
    for (std::uint32_t v = 0; v < cube_.base_ranks() && cube_.extras(v) > 0; ++v) {
      for (std::uint32_t i = 0; i < cube_.extras(v); ++i) {
        phases_.reduce(rank_of(v), {blocks, slot(i), kWork}, side, i);
      }
    }
  }
  // Extras send their own blocks to their proxies.
  void take_in_blocks() {
    from_extras([](Rank extra, std::uint32_t) { return Move{{extra, 1}, kWork, kWork}; });
  }
  void take_in_signs() {
    from_extras([](Rank, std::uint32_t i) { return Move{{0, 1}, kWork, slot(i)}; });
  }

  // Within the groups of a digit, every virtual rank sends each other member v of its group the
  // blocks goes_on(v), which v combines with its own.
  template <typename GoesOn>
  void sums(std::uint32_t digit, GoesOn&& goes_on) {
    exchange(digit, [&](std::uint32_t, std::uint32_t to, std::uint32_t j) {
      return Move{goes_on(to), kWork, slot(j - 1)};
    });
    for (const std::uint32_t v : builder_.emitted_ranks(cube_.base_ranks())) {
      const Rank rank = rank_of(v);
      const BlockSet own = goes_on(v);
      const std::uint32_t value = cube_.value(v, digit);
      std::uint32_t segment = 0;
      for (std::uint32_t from = value; from-- > 0;) {
        phases_.reduce(rank, {own, slot(cube_.turn(v, digit, from) - 1), kWork}, Operand::left,
                       segment++);
      }
      for (std::uint32_t from = value + 1; from < cube_.radix(digit); ++from) {
        phases_.reduce(rank, {own, slot(cube_.turn(v, digit, from) - 1), kWork}, Operand::right,
                       segment++);
      }
    }
  }
  // Within the groups of a digit, every virtual rank v sends the other members of its group the
  // blocks has(v).
  template <typename Has>
  void blocks(std::uint32_t digit, Has&& has) {
    exchange(digit, [&](std::uint32_t v, std::uint32_t, std::uint32_t) {
      return Move{has(v), kWork, kWork};
    });
  }
  void signs(std::uint32_t digit) {
    exchange(digit, [&](std::uint32_t, std::uint32_t, std::uint32_t j) {
      return Move{{0, 1}, kWork, slot(j - 1)};
    });
  }

  // Like blocks(), but ranks with 0 in this digit and in all higher digits receive nothing.
  template <typename Has>
  void blocks_but_to_first(std::uint32_t digit, Has&& has) {
    phases_.next();
    for (std::uint32_t j = 1; j < cube_.radix(digit); ++j) {
      for (std::uint32_t v = 0; v < cube_.base_ranks(); ++v) {
        if (const std::uint32_t to = cube_.other(v, digit, j); to >= cube_.weight(digit)) {
          phases_.comm(rank_of(v), rank_of(to), {has(v), kWork, kWork}, j - 1);
        }
      }
    }
  }
  // In scatter(), each rank with 0 in this digit and all higher digits sends every other member of
  // its group (child) the blocks has(child). In gather(), it receives these blocks from the child.
  template <typename Has>
  void scatter(std::uint32_t digit, Has&& has) {
    for_each_child(digit, [&](std::uint32_t v, std::uint32_t child, std::uint32_t j) {
      phases_.comm(rank_of(v), rank_of(child), {has(child), kWork, kWork}, j - 1);
    });
  }
  template <typename Has>
  void gather(std::uint32_t digit, Has&& has) {
    for_each_child(digit, [&](std::uint32_t v, std::uint32_t child, std::uint32_t j) {
      phases_.comm(rank_of(child), rank_of(v), {has(child), kWork, kWork}, j - 1);
    });
  }

  // Each virtual rank sends its own blocks, and those of its extras, to the virtual rank with the
  // mirrored digits.
  void to_mirrored() {
    phases_.next();
    for (std::uint32_t v = 0; v < cube_.base_ranks(); ++v) {
      if (const std::uint32_t mirror = cube_.mirror(v); mirror != v) {
        phases_.comm(rank_of(v), rank_of(mirror), {cube_.blocks(v, 1), kWork, kWork});
      }
    }
  }

  // Each proxy sends each of its extras the blocks that move(extra) returns.
  template <typename MoveTo>
  void hand_out(MoveTo&& move) {
    if (cube_.extra_ranks() == 0) {
      return;
    }
    phases_.next();
    for_each_extra([&](std::uint32_t v, Rank extra, std::uint32_t i) {
      phases_.comm(rank_of(v), from_root(extra), move(extra), i);
    });
  }

 private:
  [[nodiscard]] static Place slot(std::uint32_t i) { return {Buffer::scratch, i}; }

  [[nodiscard]] Rank from_root(Rank relative) const {
    return move_by(Symmetry::rotation, relative, root_, builder_.ranks());
  }
  [[nodiscard]] Rank rank_of(std::uint32_t v) const { return from_root(cube_.base(v)); }

  template <typename Visit>
  void for_each_child(std::uint32_t digit, Visit&& visit) {
    phases_.next();
    for (std::uint32_t j = 1; j < cube_.radix(digit); ++j) {
      for (std::uint32_t v = 0; v < cube_.weight(digit); ++v) {
        visit(v, v + j * cube_.weight(digit), j);
      }
    }
  }

  // Calls visit() for the first extra of every proxy, then for the second of every proxy, and so
  // on.
  template <typename Visit>
  void for_each_extra(Visit&& visit) const {
    for (std::uint32_t i = 0; i < cube_.most_extras(); ++i) {
      for (std::uint32_t v = 0; v < cube_.base_ranks() && cube_.extras(v) > i; ++v) {
        visit(v, cube_.extra(v, i), i);
      }
    }
  }
  template <typename MoveFrom>
  void from_extras(MoveFrom&& move) {
    if (cube_.extra_ranks() == 0) {
      return;
    }
    phases_.next();
    for_each_extra([&](std::uint32_t v, Rank extra, std::uint32_t i) {
      phases_.comm(from_root(extra), rank_of(v), move(extra, i), i);
    });
  }
  template <typename MoveOf>
  void exchange(std::uint32_t digit, MoveOf&& move) {
    phases_.next();
    for (std::uint32_t j = 1; j < cube_.radix(digit); ++j) {
      for (const std::uint32_t v : builder_.emitted_ranks(cube_.base_ranks())) {
        const std::uint32_t to = cube_.other(v, digit, j);
        phases_.comm(rank_of(v), rank_of(to), move(v, to, j), j - 1);
      }
    }
  }

  const KaryHypercube& cube_;
  ScheduleBuilder& builder_;
  Rank root_;
  Phases phases_;
};

// Complete algorithms, for Algorithm::emit.

// Allreduce of whole vectors, which are combined at every digit, the lowest digit first.
void emit_digit_allreduce(const KaryHypercube& cube, ScheduleBuilder& builder);
// Allreduce as a reduce-scatter, then the same messages in reverse. There is a block for each base
// rank. The lowest digit comes first, so each block ends at the rank with the mirrored digits.
void emit_digit_halving_allreduce(const KaryHypercube& cube, ScheduleBuilder& builder);
// Like emit_digit_halving_allreduce(), but with a root. The first function emits a reduce, which
// gathers the blocks at the root after the reduce-scatter. The second one emits a broadcast, which
// scatters the vector from the root and then gathers it at all ranks.
void emit_digit_halving_reduce(const KaryHypercube& cube, ScheduleBuilder& builder, Rank root);
void emit_digit_scatter_allgather(const KaryHypercube& cube, ScheduleBuilder& builder, Rank root);
// Allgather, the lowest digit first. After each digit, virtual ranks that agree in all higher
// digits have the same blocks.
void emit_digit_allgather(const KaryHypercube& cube, ScheduleBuilder& builder);
// Allgather, the highest digit first. Before the first exchange, each block moves to the rank with
// the mirrored digits.
void emit_mirrored_digit_allgather(const KaryHypercube& cube, ScheduleBuilder& builder);
// Reduce-scatter with a block for each rank, the highest digit first.
void emit_digit_reduce_scatter(const KaryHypercube& cube, ScheduleBuilder& builder);
void emit_digit_barrier(const KaryHypercube& cube, ScheduleBuilder& builder);

// Implements Algorithm::symmetry of all but the mirrored allgather. If p is a power of two and
// there are no extras, any two ranks can be exchanged.
[[nodiscard]] RankSymmetry digit_symmetry(const KaryHypercube& cube, const Problem& problem);
// Like digit_symmetry(), for algorithms with a block for each rank.
[[nodiscard]] RankSymmetry digit_symmetry_of_even_blocks(const KaryHypercube& cube,
                                                         const Problem& problem);

// Number of messages that a base rank sends in a pass over all digits: r - 1 for each digit of base
// r.
[[nodiscard]] std::uint32_t digit_messages(const KaryHypercube& cube);

// Times for Algorithm::exact_s. They are known if no rank is an extra. Those of digit_allreduce_s
// and digit_barrier_s are also known if all base ranks have the same number of extras, or if each
// has either radix() - 1 extras before it or none. In these two cases, digit_halving_allreduce_s is
// known if radix() is 2. The other times are unknown with extras, because proxies have more blocks
// than other ranks.
[[nodiscard]] std::optional<double> digit_allreduce_s(const KaryHypercube& cube,
                                                      const Problem& problem, const Prices& prices);
[[nodiscard]] std::optional<double> digit_halving_allreduce_s(const KaryHypercube& cube,
                                                              const Problem& problem,
                                                              const Prices& prices);
[[nodiscard]] std::optional<double> digit_allgather_s(const KaryHypercube& cube,
                                                      const Problem& problem, const Prices& prices);
[[nodiscard]] std::optional<double> digit_reduce_scatter_s(const KaryHypercube& cube,
                                                           const Problem& problem,
                                                           const Prices& prices);
[[nodiscard]] std::optional<double> digit_barrier_s(const KaryHypercube& cube,
                                                    const Problem& problem, const Prices& prices);

// Provides the functions of an Algorithm, made from the functions above. `kRadix` is the default
// radix, and `kExtras` says how extras are assigned to proxies.
template <const DefaultedNumber& kRadix, KaryHypercube::Extras kExtras, auto kEmit, auto kExactS,
          auto kSymmetry = digit_symmetry>
struct DigitShape {
  // Fills in the functions of `own`. The caller sets the texts of `own`, and also its layout or
  // exact_s if it differs from the one here.
  static constexpr Algorithm algorithm(Algorithm own) {
    own.options |= bit(Option::radix);
    own.own_numbers = {&kRadix, 1};
    own.refusal = refuse_radix_1;
    own.limits = kRadix1;
    own.layout = own.layout == nullptr ? layout : own.layout;
    own.emit = emit;
    own.one_shape = always;
    if constexpr (!std::is_null_pointer_v<decltype(kExactS)>) {
      own.exact_s = own.exact_s == nullptr ? exact_s : own.exact_s;
    }
    if constexpr (!std::is_null_pointer_v<decltype(kSymmetry)>) {
      own.symmetry = symmetry;
    }
    return own;
  }

  static KaryHypercube cube_of(const Problem& problem) {
    return {problem.ranks, kRadix.of(problem), kExtras};
  }
  // Returns a layout with one block for each base rank.
  static BlockLayout layout(const Problem& problem) {
    return BlockLayout::even(problem.elements(), cube_of(problem).base_ranks(),
                             problem.element_bytes);
  }
  static std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
    return kExactS(cube_of(problem), problem, prices);
  }
  static RankSymmetry symmetry(const Problem& problem) {
    return kSymmetry(cube_of(problem), problem);
  }
  static void emit(const Problem& problem, ScheduleBuilder& builder) {
    if constexpr (std::is_invocable_v<decltype(kEmit), KaryHypercube, ScheduleBuilder&, Rank>) {
      kEmit(cube_of(problem), builder, problem.root);
    } else {
      kEmit(cube_of(problem), builder);
    }
  }
};

template <const DefaultedNumber& kRadix, KaryHypercube::Extras kExtras>
using DigitAllreduce = DigitShape<kRadix, kExtras, emit_digit_allreduce, digit_allreduce_s>;
template <const DefaultedNumber& kRadix, KaryHypercube::Extras kExtras>
using DigitAllgather = DigitShape<kRadix, kExtras, emit_digit_allgather, digit_allgather_s,
                                  digit_symmetry_of_even_blocks>;
template <const DefaultedNumber& kRadix, KaryHypercube::Extras kExtras>
using DigitReduceScatter = DigitShape<kRadix, kExtras, emit_digit_reduce_scatter,
                                      digit_reduce_scatter_s, digit_symmetry_of_even_blocks>;
template <const DefaultedNumber& kRadix, KaryHypercube::Extras kExtras>
using DigitBarrier = DigitShape<kRadix, kExtras, emit_digit_barrier, digit_barrier_s>;

}}  // namespace tutti::schedules
