// What every algorithm says of itself: one struct per algorithm, in one file per algorithm.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/sentence.hpp"
#include "schedules/builder.hpp"
#include "schedules/defaulted_number.hpp"
#include "schedules/prices.hpp"
#include "schedules/problem.hpp"
#include "schedules/schedule.hpp"
#include "schedules/symmetry.hpp"

namespace tutti::inline schedules {

class Program;

struct Algorithm {
  Collective collective;
  std::string_view name;    // "ring"; with its collective, "allreduce/ring"
  std::string_view idea;    // two lines at most
  std::string_view source;  // who published it, where
  std::string_view cost;    // the exact cost in words of p, n, alpha, beta, gamma; "" if unknown
  // Whether the result is right for any associative operator, commuting or not: every rank combines
  // the contributions in rank order. May be null: never. It depends on the problem, because a fold
  // of far ranks keeps the order only where there is nothing to fold. Checked by the proof.
  bool (*keeps_order)(const Problem&) = nullptr;
  // When it is, in words: "always", "root 0" ("for" goes before it). "" where keeps_order is null.
  // A test holds words, predicate and proof together.
  std::string_view order_kept = {};
  // Bits of Option that the algorithm takes; others are refused.
  unsigned options = 0;
  // Of those that are numbers, which the algorithm has where nobody says any. A test over all
  // algorithms holds them to the schedules.
  std::span<const DefaultedNumber> own_numbers = {};

  // Why the algorithm cannot serve this problem, as a sentence for the user; nothing if it can. It
  // never quietly becomes another algorithm. May be null: serves everything.
  std::optional<Sentence> (*refusal)(const Problem&) = nullptr;
  // What `refusal` refuses, each case in words; none where it is null. A test holds both together.
  std::span<const std::string_view> limits = {};
  // What the source says otherwise of it, in a sentence: limits of its own, or a flaw. "" where the
  // two agree.
  std::string_view remark = {};
  // Into which blocks the vector is split: one_block, block_per_rank, or its own.
  BlockLayout (*layout)(const Problem&) = nullptr;
  // Seconds of the closed form: exact on a homogeneous network with one port when the blocks are
  // equal. Nothing, rather than something wrong, where no closed form is known. May be null.
  std::optional<double> (*exact_s)(const Problem&, const Prices&) = nullptr;
  // How all ranks are alike; then the emitter loops over ScheduleBuilder::emitted_ranks(). May be
  // null: they never are.
  RankSymmetry (*symmetry)(const Problem&) = nullptr;
  void (*emit)(const Problem&, ScheduleBuilder&) = nullptr;
  // How many switches take part, which reduce and multicast: emit() has them behind the ranks. Such
  // a schedule runs only where a platform declares that its switches do, and never on MPI. May be
  // null: none.
  std::uint32_t (*switches)(const Problem&) = nullptr;
  // Whether problems that differ in nothing but sizes have schedules that differ in nothing but
  // bytes: the same operations on the same blocks in the same order. Then one serves all, by
  // Schedule::resize(). It must not depend on the sizes. May be null: never. Checked by a test over
  // all algorithms.
  bool (*one_shape)(const Problem&) = nullptr;
  // The algorithm of the same collective that this one is for the problem, to the message; "" where
  // it is one of its own. Decisions take the other. May be null: it always is. Checked by a test
  // over all algorithms.
  std::string_view (*same_as)(const Problem&) = nullptr;
  // Written in the notation, by a user: makes the schedule in place of layout and emit.
  const Program* program = nullptr;

  // False of a schedule written out.
  [[nodiscard]] bool emits() const { return emit != nullptr || program != nullptr; }
  [[nodiscard]] bool in_network() const { return switches != nullptr; }
  [[nodiscard]] std::string full_name() const {
    return std::string(tutti::name(collective)) + "/" + std::string(name);
  }
};

[[nodiscard]] inline bool takes(const Algorithm& algorithm, Option option) {
  return (algorithm.options & bit(option)) != 0;
}

// Null where the algorithm has no number of its own for the option.
[[nodiscard]] const DefaultedNumber* defaulted_number(const Algorithm& algorithm, Option option);

[[nodiscard]] inline BlockLayout one_block(const Problem& problem) {
  return BlockLayout::even(problem.elements(), 1, problem.element_bytes);
}
// The even split, or the user's block sizes where the algorithm takes them.
[[nodiscard]] inline BlockLayout block_per_rank(const Problem& problem) {
  return layout_in_blocks(problem, problem.ranks);
}

// For keeps_order and one_shape.
[[nodiscard]] inline bool always(const Problem&) { return true; }
[[nodiscard]] inline bool at_root_0(const Problem& problem) { return problem.root == 0; }

// Throws UserError when the problem is not one for this algorithm: its own refusal, an option it
// does not take, a root out of range, bytes that are not whole elements.
void check(const Algorithm& algorithm, const Problem& problem);

// check(), then emit. On one rank, or where there is nothing to do, the schedule may be empty.
[[nodiscard]] Schedule make_schedule(const Algorithm& algorithm, const Problem& problem,
                                     Detail detail = Detail::payload);

}  // namespace tutti::inline schedules
