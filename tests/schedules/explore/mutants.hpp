// Breaks schedules in small ways, judges each broken schedule by exhaustive search, and compares
// the judgement with the verdict of a proof.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/schedules/explore/draft.hpp"
#include "tests/schedules/explore/explorer.hpp"

namespace tutti::explore {

struct Break {
  enum class Kind : std::uint8_t {
    // Drops the dependency at position `detail` of DraftOp::after.
    drop_dependency,
    // Drops the operation. Detail 0: its successors lose the dependency on it. 1: they inherit the
    // dependencies of the dropped operation instead.
    drop_operation,
    // Swaps the operands of a reduction.
    swap_operands,
    // Shifts blocks by one: those of the source (detail 0), of the destination (1) or of both (2).
    shift_blocks,
    // Shifts the source (detail 0) or the destination (1) by one slot of scratch.
    shift_slot,
    // Adds a copy of a reduction, which is not ordered with the original (detail 0) or comes after
    // it (1).
    duplicate_reduction,
    // Sends a message to another rank (detail 0) or from another rank (1), and drops dependencies
    // between operations that then share no rank. Details 2 and 3 do the same but keep these
    // dependencies, which no MPI program can do.
    redirect_message,
  };
  static constexpr std::size_t kKinds = 7;

  Kind kind;
  std::uint32_t op;
  std::uint32_t detail;
};

[[nodiscard]] std::string_view name(Break::Kind kind);

// Returns all breaks of a draft, in the order of its operations within each kind.
[[nodiscard]] std::vector<Break> breaks(const Draft& draft);

// Returns at most `per_kind` breaks of each kind and detail, drawn with `seed`, in their original
// order.
[[nodiscard]] std::vector<Break> sample(const std::vector<Break>& all, std::size_t per_kind,
                                        std::uint32_t seed);

[[nodiscard]] Draft apply(const Draft& draft, const Break& what);
[[nodiscard]] std::string describe(const Draft& draft, const Break& what);

enum class Judgement : std::uint8_t {
  can_go_wrong,  // malformed, or some order is harmful
  // Every order has the same right result, but two conflicting accesses race. The result is right
  // only because the values that are written happen to be there already. If one of the accesses
  // belongs to a message, MPI forbids the other (MPI 4.0, 3.7.2: the buffer of a pending operation
  // must not be accessed), and a run may do anything. The proof must refuse such a schedule:
  // accesses to the same block must be ordered.
  forbidden,
  harmless,  // every order was searched, and none is harmful
  unknown,   // the largest number of states was reached before any harm was found
};

struct MutantVerdict {
  Judgement judgement = Judgement::unknown;
  std::string why;  // empty if harmless or unknown
};

[[nodiscard]] MutantVerdict judge(const Draft& draft, Sameness sameness, std::uint64_t max_states);

// Answer of the proof under test.
struct Answer {
  bool refused = false;
  std::string why;
  // True if messages, bytes or rounds are not what the algorithm declares.
  bool other_claims = false;
};
using Prover = std::function<Answer(const Draft&)>;

// Numbers of mutants, by the judge's verdict and the answer of the proof.
struct Score {
  std::uint64_t mutants = 0;
  std::uint64_t harmful = 0;  // can go wrong
  std::uint64_t caught = 0;   // harmful and refused
  std::uint64_t forbidden = 0;
  std::uint64_t refused = 0;  // forbidden and refused
  std::uint64_t harmless = 0;
  std::uint64_t proved = 0;    // harmless and not refused
  std::uint64_t changed = 0;   // harmless, but with other messages, bytes or rounds
  std::uint64_t reported = 0;  // changed, and reported as broken claims
  std::uint64_t unknown = 0;
  std::uint64_t left_out = 0;  // not in the sample

  Score& operator+=(const Score& other);
  // True if the proof agrees with the judge on every mutant that the judge does not call unknown.
  [[nodiscard]] bool perfect() const {
    return caught == harmful && refused == forbidden && proved == harmless && reported == changed;
  }
};

struct MutationOptions {
  Sameness sameness = Sameness::ordered;
  std::uint64_t max_states = 20'000;
  std::size_t per_kind = SIZE_MAX;
  std::uint32_t seed = 1;
};

// Judges the mutants of a draft and counts how the prover answers. Calls `disagree` with a
// description of each mutant on which judge and prover differ.
[[nodiscard]] Score compare(const Draft& draft, const MutationOptions& options,
                            const Prover& prover,
                            const std::function<void(const std::string&)>& disagree);

}  // namespace tutti::explore
