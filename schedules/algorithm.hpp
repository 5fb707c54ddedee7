// Defines the struct that describes an algorithm. Each algorithm has a file of its own, with one
// such struct.
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

namespace tutti { inline namespace schedules {

class Program;

struct Algorithm {
  Collective collective;
  // The name without the collective, such as "ring".
  std::string_view name;
  // How the algorithm works, in at most two lines.
  std::string_view idea;
  // Who published the algorithm, and where.
  std::string_view source;
  // The exact cost as a formula in p, n, alpha, beta and gamma; "" if unknown.
  std::string_view cost;
  // True if the result is right for any associative operator, even one that does not commute,
  // because every rank combines the contributions in rank order. This depends on the problem:
  // Fold::far, for example, keeps the order only if there is nothing to fold. If the pointer is
  // null, the order is never kept. The proof (see verify/verify.hpp) checks the answer.
  bool (*keeps_order)(const Problem&) = nullptr;
  // The condition of keeps_order in words: "always", or a text that is printed after "for", such as
  // "root 0"; "" if keeps_order is null. A test checks that words, predicate and proof agree.
  std::string_view order_kept = {};
  // The options that the algorithm accepts, as bits of Option. All other options are refused.
  unsigned options = 0;
  // Numeric options for which the algorithm has its own default. A test over all algorithms checks
  // that the schedules use these defaults.
  std::span<const DefaultedNumber> own_numbers = {};

  // Returns why the algorithm cannot solve the problem, as a sentence for the user, or nothing if
  // it can. An algorithm never silently falls back to another one. A null pointer means that the
  // algorithm solves every problem.
  std::optional<Sentence> (*refusal)(const Problem&) = nullptr;
  // The cases that `refusal` refuses, in words; empty if `refusal` is null. A test checks that
  // `limits` and `refusal` agree.
  std::span<const std::string_view> limits = {};
  // One sentence on how the source differs from this schedule: the source has limits that the
  // schedule does not have, or contains an error. "" if the source and the schedule agree.
  std::string_view remark = {};
  // Returns how the vector is split into blocks: one_block, block_per_rank, or the algorithm's own
  // function.
  BlockLayout (*layout)(const Problem&) = nullptr;
  // Returns the time that the closed form of the cost predicts, in seconds. The closed form is
  // exact on a homogeneous network whose ranks have one port each, if all blocks have the same
  // size. Returns nothing, rather than a wrong value, if no closed form is known. May be null.
  std::optional<double> (*exact_s)(const Problem&, const Prices&) = nullptr;
  // Returns the symmetry by which all ranks are equivalent; the emitter must then loop over
  // ScheduleBuilder::emitted_ranks(). Null means that the ranks are never equivalent.
  RankSymmetry (*symmetry)(const Problem&) = nullptr;
  void (*emit)(const Problem&, ScheduleBuilder&) = nullptr;
  // True if emit() marks rounds that are alike (ScheduleBuilder::alike). A test over all algorithms
  // checks the answer.
  bool has_alike_rounds = false;
  // True if emit() marks rounds that are alike only in the part of one rank of each class
  // (ScheduleBuilder::each_distance).
  bool has_alike_rounds_in_part = false;
  // Returns the number of switches that take part by reducing and multicasting; emit() numbers them
  // after the ranks. A schedule with switches runs only on a platform whose switches can reduce and
  // multicast, and never on MPI. A null pointer means that no switch takes part.
  std::uint32_t (*switches)(const Problem&) = nullptr;
  // True if problems that differ only in sizes have schedules that differ only in bytes: the same
  // operations on the same blocks in the same order. One schedule then serves all sizes
  // (Schedule::resize()). The answer must not depend on the sizes. If the pointer is null, one
  // schedule never serves several sizes. A test over all algorithms checks the answer.
  bool (*one_shape)(const Problem&) = nullptr;
  // Returns the name of another algorithm of this collective that sends exactly the same messages
  // for the problem; "" if there is none. When tutti compares algorithms to choose one, it leaves
  // out this algorithm and keeps the other. A null pointer means that there is never such an
  // algorithm. A test over all algorithms checks the answer.
  std::string_view (*same_as)(const Problem&) = nullptr;
  // A user's program in tutti's notation, which makes the schedule in place of layout() and emit().
  // Null for built-in algorithms.
  const Program* program = nullptr;

  // True if the algorithm can make schedules. False if it is a single schedule that was read from a
  // file.
  [[nodiscard]] bool emits() const { return emit != nullptr || program != nullptr; }
  [[nodiscard]] bool in_network() const { return switches != nullptr; }
  [[nodiscard]] std::string full_name() const;
};

[[nodiscard]] inline bool takes(const Algorithm& algorithm, Option option) {
  return (algorithm.options & bit(option)) != 0;
}

// Returns the algorithm's own default for a numeric option; null if it has none.
[[nodiscard]] const DefaultedNumber* defaulted_number(const Algorithm& algorithm, Option option);

[[nodiscard]] inline BlockLayout one_block(const Problem& problem) {
  return BlockLayout::even(problem.elements(), 1, problem.element_bytes);
}
// Returns a layout with one block per rank: the even split, or the user's block sizes if there are
// any.
[[nodiscard]] inline BlockLayout block_per_rank(const Problem& problem) {
  return layout_in_blocks(problem, problem.ranks);
}

// Predicates for Algorithm::keeps_order and Algorithm::one_shape.
[[nodiscard]] inline bool always(const Problem&) { return true; }
[[nodiscard]] inline bool at_root_0(const Problem& problem) { return problem.root == 0; }

// Says that the problem's bytes are not a whole number of elements, and what to do; nothing if they
// are.
[[nodiscard]] std::optional<Sentence> why_not_whole_elements(const Problem& problem);

// Throws UserError if the algorithm refuses the problem, or if the problem is invalid: too many
// ranks or bytes, a root out of range, bytes that are not whole elements, or invalid block sizes.
void check(const Algorithm& algorithm, const Problem& problem);

// Calls check(), then makes the schedule. The schedule may be empty, for example with a single
// rank. `most_rounds`: of each stretch of rounds that are alike, the schedule has this many (see
// schedules/repeated_rounds.hpp).
[[nodiscard]] Schedule make_schedule(const Algorithm& algorithm, const Problem& problem,
                                     Detail detail = Detail::payload,
                                     std::uint32_t most_rounds = kAllRounds);

}}  // namespace tutti::schedules
