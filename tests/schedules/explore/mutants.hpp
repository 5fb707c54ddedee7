// Breaks schedules in small ways, judges each broken one by exhaustive search, and compares the
// judgement with what a proof says of it.
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
    drop_dependency,      // detail: which
    drop_operation,       // detail: 0 what came after it waits for less, 1 for what it waited for
    swap_operands,        //
    shift_blocks,         // detail: by one block, 0 what is read, 1 what is written, 2 both
    shift_slot,           // detail: by one slot of scratch, 0 what is read, 1 what is written
    duplicate_reduction,  // detail: 0 at the same time, 1 after the first
    redirect_message,  // detail: 0 to another rank, 1 from another rank; plus 2: the dependencies
                       // that then share no rank stay, which no MPI program can do
  };
  static constexpr std::size_t kKinds = 7;

  Kind kind;
  std::uint32_t op;
  std::uint32_t detail;
};

[[nodiscard]] std::string_view name(Break::Kind kind);

// All breaks of a draft, in the order of its operations within each kind.
[[nodiscard]] std::vector<Break> breaks(const Draft& draft);

// At most `per_kind` of each kind and detail that has more, drawn with `seed`; the order stays.
[[nodiscard]] std::vector<Break> sample(const std::vector<Break>& all, std::size_t per_kind,
                                        std::uint32_t seed);

[[nodiscard]] Draft apply(const Draft& draft, const Break& what);
[[nodiscard]] std::string describe(const Draft& draft, const Break& what);

enum class Judgement : std::uint8_t {
  can_go_wrong,  // malformed, or some order is harmful
  // Every order has the same right result, but two accesses in conflict race: all values that they
  // write happen to be those that are there already. Where one of them is a message's, MPI forbids
  // it (MPI 4.0, 3.7.2: nobody touches the buffer of a pending operation), and a run may do
  // anything. Such a schedule is refused: whatever touches the same block must be ordered.
  forbidden,
  harmless,  // every order was looked at
  unknown,   // the bound was met before any harm
};

struct Judged {
  Judgement judgement = Judgement::unknown;
  std::string why;  // unless harmless
};

[[nodiscard]] Judged judge(const Draft& draft, Sameness sameness, std::uint64_t max_states);

// What the proof under test says.
struct Answer {
  bool refused = false;
  std::string why;
  bool other_claims = false;  // messages, bytes or rounds are not what the algorithm declares
};
using Prover = std::function<Answer(const Draft&)>;

struct Score {
  std::uint64_t mutants = 0;
  std::uint64_t harmful = 0;  // can go wrong
  std::uint64_t caught = 0;   // of those, refused
  std::uint64_t forbidden = 0;
  std::uint64_t refused = 0;  // of those
  std::uint64_t harmless = 0;
  std::uint64_t proved = 0;    // of those, not refused
  std::uint64_t changed = 0;   // of the harmless ones, those with other messages, bytes or rounds
  std::uint64_t reported = 0;  // of those, with claims that no longer hold
  std::uint64_t unknown = 0;
  std::uint64_t left_out = 0;  // not in the sample

  Score& operator+=(const Score& other);
  // Everything that the judge is sure of is answered rightly.
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

// Calls `disagree` with a sentence for each mutant on which judge and prover differ.
[[nodiscard]] Score compare(const Draft& draft, const MutationOptions& options,
                            const Prover& prover,
                            const std::function<void(const std::string&)>& disagree);

}  // namespace tutti::explore
