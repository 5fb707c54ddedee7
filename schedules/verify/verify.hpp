// The proof that a schedule achieves its collective, in whatever order the network delivers
// messages.
//
//   structure     every event can happen, and each rank takes part in every operation that it waits
//                 for
//   races         two operations that touch the same block at a rank, one of them writing, are
//                 ordered by the event graph (see events.hpp), so the ranks of a real MPI program
//                 perform them in this order, with eager sends and with rendezvous
//   replay        without races, every interleaving gives the same values, so one run proves them
//                 all; values are symbolic expressions, so the order of operands is known
//   result        every rank ends with what the collective's contract demands
//   claims        the schedule has the properties that the algorithm declares
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/edge_kind.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

struct Algorithm;

// In the order in which findings are listed: causes before their consequences.
enum class FindingKind : std::uint8_t {
  // An operation has bytes but no blocks. Nothing is known to be wrong, but the schedule cannot be
  // proved.
  blocks,
  // An event waits for itself, directly or through other events.
  termination,
  // A dependency joins two operations that share no rank.
  locality,
  // An operation reads data that its rank may not have yet.
  undefined_read,
  // Two operations touch the same block, one of them writes, and nothing orders them.
  race,
  // The search for an order between two operations exceeded its budget.
  undecided,
  // A rank does not end with the data that the collective demands.
  result,
  // The schedule lacks a property that the algorithm declares.
  claim,
};
inline constexpr std::size_t kFindingKinds = 8;
[[nodiscard]] std::string_view name(FindingKind kind);

struct Finding {
  FindingKind kind;
  std::string text;  // a sentence for a person, without a full stop
};

// Declared properties of a schedule. Properties that are not set are not checked.
struct Claims {
  std::optional<bool> keeps_order;
  std::optional<std::uint32_t> rounds;
  std::optional<std::uint64_t> messages;
  std::optional<std::uint64_t> bytes_sent;
  std::optional<std::uint64_t> bytes_reduced;
};

// The properties that `algorithm` declares for `problem`. If Algorithm::keeps_order is null, rank
// order is not checked, because the schedule may keep it by chance, for instance on two ranks.
// Otherwise keeps_order must be exact. The closed form is not among the claims, because checking it
// needs prices and an engine.
[[nodiscard]] Claims claims_of(const Algorithm& algorithm, const Problem& problem);

struct VerifyOptions {
  Claims claims;
  // Largest number of findings of each kind that are listed. All findings are counted.
  std::size_t findings_per_kind = 3;
  // Number of events that all searches of the event graph together may look at. A search is needed
  // only for schedules that are wrong, or in which the order of two accesses at a rank follows only
  // from messages between other ranks.
  std::uint64_t search_budget = 2'000'000'000;
  // True if `work` does not start with the contents of `input`: whatever a rank has at the start,
  // it must take from `input`.
  bool work_starts_undefined = false;
};

// The order in which a reduction combines the contributions of the ranks.
enum class OperandOrder : std::uint8_t {
  // Nothing is reduced, or the result is wrong.
  none,
  // Every block at every rank is combined in rank order, so the result is right for any associative
  // operator.
  rank_order,
  // Some block at some rank is not combined in rank order.
  commutative_only,
};

struct Verdict {
  // The first few findings of each kind, sorted by kind.
  std::vector<Finding> findings;
  // Number of findings of each kind.
  std::array<std::size_t, kFindingKinds> counts{};

  OperandOrder order = OperandOrder::none;
  // True if each block is combined in the same way at all ranks that get it, except that the two
  // operands of a step may be swapped. Floating-point results are then bit-identical at all ranks
  // if the operator commutes exactly.
  bool bitwise_equal = false;

  std::uint32_t rounds = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes_sent = 0;
  // Number of bytes that all ranks together must send, whatever the algorithm.
  std::uint64_t bytes_lower_bound = 0;
  std::uint64_t bytes_reduced = 0;
  EdgeCounts dependencies;
  // Number of dependencies that follow from other dependencies at every rank that both operations
  // touch. Dropping all of these dependencies changes no rank's order, so no eager send can
  // overtake another.
  std::size_t redundant_dependencies = 0;
  // The first redundant dependency, such as "Req(1,{0,1}) after Req(0,{0,1})"; "" if there is none.
  std::string first_redundant;
  // Number of blocks that are written and then neither read nor demanded by the contract. A block
  // counts once for each operation that writes it.
  std::size_t unread_writes = 0;
  // Number of searches of the event graph.
  std::size_t searches = 0;

  [[nodiscard]] std::size_t count(FindingKind kind) const {
    return counts[static_cast<std::size_t>(kind)];
  }
  // True if the schedule is right in every execution and can run on MPI. Findings of the kind
  // `claim` do not matter.
  [[nodiscard]] bool proved() const;
  // True if the schedule is not proved, and the only reason is that it is bare: it has no blocks.
  [[nodiscard]] bool only_lacks_blocks() const;
  [[nodiscard]] bool claims_hold() const { return count(FindingKind::claim) == 0; }
};

// Verifies a schedule, which must have payload or be bare. Only the structure of a bare schedule is
// checked, and it is not proved.
[[nodiscard]] Verdict verify(const Schedule& schedule, const VerifyOptions& options = {});

// Returns the expression that block `block` of `work` at `rank` holds at the end: "x1 + x0 + (x2 +
// x3)". Here x2 is the contribution of rank 2, and operands without brackets associate to the left.
// A contribution to another block, number 5, is written x2[5]. Returns "" if the block was never
// written.
[[nodiscard]] std::string combination_text(const Schedule& schedule, Rank rank,
                                           std::uint32_t block);

}}  // namespace tutti::schedules
