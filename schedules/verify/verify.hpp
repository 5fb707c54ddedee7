// The proof: does this schedule achieve its collective, however the network delivers?
//
//   structure     every event can happen; what a rank waits for, it took part in
//   races         two operations that touch the same block at a rank, one of them writing, are
//                 ordered by the event graph (events.hpp), hence by what ranks of a real MPI know,
//                 with eager sends and with rendezvous
//   replay        with no race every interleaving gives the same values, so one run proves them
//                 all; values are expressions, so the order of operands is known
//   result        every rank ends with what the collective's contract demands
//   claims        what the algorithm says of itself is what the schedule has
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

namespace tutti::inline schedules {

struct Algorithm;

// In the order in which findings are listed: causes before what follows from them.
enum class FindingKind : std::uint8_t {
  blocks,          // an operation has bytes and no blocks: nothing is wrong, and nothing proved
  termination,     // an event that waits for itself
  locality,        // a dependency that shares no rank
  undefined_read,  // an operation reads what its rank does not surely hold
  race,            // two operations touch the same block, and nothing orders them
  undecided,       // the search for an order was given up
  result,          // a rank ends with something else than its collective demands
  claim,           // the algorithm says something else of itself
};
inline constexpr std::size_t kFindingKinds = 8;
[[nodiscard]] std::string_view name(FindingKind kind);

struct Finding {
  FindingKind kind;
  std::string text;  // a sentence for a person, without a full stop
};

// What is declared of a schedule; what is left open is not compared.
struct Claims {
  std::optional<bool> keeps_order;
  std::optional<std::uint32_t> rounds;
  std::optional<std::uint64_t> messages;
  std::optional<std::uint64_t> bytes_sent;
  std::optional<std::uint64_t> bytes_reduced;
};

// What `algorithm` declares for `problem`. One that never promises rank order may keep it by
// chance, on two ranks for instance; one that says when it does must say so exactly. The closed
// form is not among the claims: comparing that needs prices, and an engine.
[[nodiscard]] Claims claims_of(const Algorithm& algorithm, const Problem& problem);

struct VerifyOptions {
  Claims claims;
  std::size_t findings_per_kind = 3;  // so many have a text; all are counted
  // Events that searches for an order may look at in all. Only schedules that are broken, or that
  // order their accesses by way of other ranks, search at all.
  std::uint64_t search_budget = 2'000'000'000;
};

// In which order a reduction combines what the ranks contribute.
enum class OperandOrder : std::uint8_t {
  none,              // nothing is reduced, or the result is wrong
  rank_order,        // every block at every rank: right for any associative operator
  commutative_only,  // some block at some rank is not in rank order
};

struct Verdict {
  std::vector<Finding> findings;                    // the first few of each kind, by kind
  std::array<std::size_t, kFindingKinds> counts{};  // of all findings

  OperandOrder order = OperandOrder::none;
  // All ranks that get a result combine each block in the same way but for the sides of single
  // steps, so floating-point results are equal to the bit where the operator commutes exactly.
  bool bitwise_equal = false;

  std::uint32_t rounds = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_lower_bound = 0;  // that ranks must send in all, whatever the algorithm
  std::uint64_t bytes_reduced = 0;
  EdgeCounts dependencies;
  // Dependencies that others imply at every rank that they join. Dropping all of them changes no
  // rank's order, so no eager send can overtake.
  std::size_t redundant_dependencies = 0;
  std::string first_redundant;  // "Req(1,{0,1}) after Req(0,{0,1})"
  // Blocks (counted once per operation) written and then neither read nor demanded.
  std::size_t unread_writes = 0;
  // Searches of the event graph, and races among what they were asked.
  std::size_t searches = 0;

  [[nodiscard]] std::size_t count(FindingKind kind) const {
    return counts[static_cast<std::size_t>(kind)];
  }
  // Right in every execution, and able to run on MPI. Claims don't count.
  [[nodiscard]] bool proved() const;
  // Nothing is known to be wrong but that blocks are missing, without which there is no proof.
  [[nodiscard]] bool only_lacks_blocks() const;
  [[nodiscard]] bool claims_hold() const { return count(FindingKind::claim) == 0; }
};

// The schedule must have payload, or be bare. Of a bare one only the structure is looked at, and it
// is not proved.
[[nodiscard]] Verdict verify(const Schedule& schedule, const VerifyOptions& options = {});

// How block `block` of `work` at `rank` was combined in the end, in the order of the operands and
// bracketed: "x1 + x0 + (x2 + x3)", where x2 is the contribution of rank 2 and what is not in
// brackets associates to the left. A block of another number is written x2[5]. "": nothing is
// there.
[[nodiscard]] std::string combination_text(const Schedule& schedule, Rank rank,
                                           std::uint32_t block);

}  // namespace tutti::inline schedules
