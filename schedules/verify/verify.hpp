// The proof that a schedule achieves its collective, however the network delivers.
//
//   structure     every event can happen, and each rank takes part in all that it waits for
//   races         two operations that touch the same block at a rank, one of them writing, are
//                 ordered by the event graph (events.hpp), hence by what ranks of a real MPI know,
//                 with eager sends and with rendezvous
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

namespace tutti::inline schedules {

struct Algorithm;

// In the order in which findings are listed: causes before their consequences.
enum class FindingKind : std::uint8_t {
  blocks,          // an operation has bytes and no blocks: nothing is wrong, and nothing proved
  termination,     // an event that waits for itself
  locality,        // a dependency that shares no rank
  undefined_read,  // an operation reads data that its rank may not have yet
  race,            // two operations touch the same block, and nothing orders them
  undecided,       // the search for an order was given up
  result,          // a rank does not end with what its collective demands
  claim,           // the algorithm declares something else
};
inline constexpr std::size_t kFindingKinds = 8;
[[nodiscard]] std::string_view name(FindingKind kind);

struct Finding {
  FindingKind kind;
  std::string text;  // a sentence for a person, without a full stop
};

// Declared properties of a schedule; those that are not set are not compared.
struct Claims {
  std::optional<bool> keeps_order;
  std::optional<std::uint32_t> rounds;
  std::optional<std::uint64_t> messages;
  std::optional<std::uint64_t> bytes_sent;
  std::optional<std::uint64_t> bytes_reduced;
};

// The properties that `algorithm` declares for `problem`. An algorithm that never promises rank
// order may keep it by chance, for instance on two ranks. An algorithm that says when it keeps rank
// order must say so exactly. The closed form is not among the claims: comparing it needs prices and
// an engine.
[[nodiscard]] Claims claims_of(const Algorithm& algorithm, const Problem& problem);

struct VerifyOptions {
  Claims claims;
  std::size_t findings_per_kind = 3;  // number of findings with a text; all are counted
  // Number of events that all searches for an order may look at together. Only schedules that are
  // wrong, or that order their accesses by way of other ranks, need a search.
  std::uint64_t search_budget = 2'000'000'000;
};

// The order in which a reduction combines the contributions of the ranks.
enum class OperandOrder : std::uint8_t {
  none,              // nothing is reduced, or the result is wrong
  rank_order,        // every block at every rank: right for any associative operator
  commutative_only,  // some block at some rank is not in rank order
};

struct Verdict {
  std::vector<Finding> findings;                    // the first few of each kind, by kind
  std::array<std::size_t, kFindingKinds> counts{};  // of all findings

  OperandOrder order = OperandOrder::none;
  // True if all ranks that get a result combine each block in the same way, up to swapping the two
  // operands of a step. Floating-point results are then equal to the bit if the operator commutes
  // exactly.
  bool bitwise_equal = false;

  std::uint32_t rounds = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_lower_bound = 0;  // that all ranks together must send, with any algorithm
  std::uint64_t bytes_reduced = 0;
  EdgeCounts dependencies;
  // Number of dependencies that others imply at every rank that they join. Dropping all of them
  // changes no rank's order, so no eager send can overtake another.
  std::size_t redundant_dependencies = 0;
  std::string first_redundant;  // "Req(1,{0,1}) after Req(0,{0,1})"
  // Number of blocks (counted once per operation) that are written and then neither read nor
  // demanded.
  std::size_t unread_writes = 0;
  // Number of searches of the event graph.
  std::size_t searches = 0;

  [[nodiscard]] std::size_t count(FindingKind kind) const {
    return counts[static_cast<std::size_t>(kind)];
  }
  // True if the schedule is right in every execution and can run on MPI. Claims do not count.
  [[nodiscard]] bool proved() const;
  // True if nothing is known to be wrong, but blocks are missing, without which there is no proof.
  [[nodiscard]] bool only_lacks_blocks() const;
  [[nodiscard]] bool claims_hold() const { return count(FindingKind::claim) == 0; }
};

// Verifies a schedule, which must have payload or be bare. Only the structure of a bare schedule is
// checked, and it is not proved.
[[nodiscard]] Verdict verify(const Schedule& schedule, const VerifyOptions& options = {});

// Shows how block `block` of `work` at `rank` was combined in the end, with the order of the
// operands and brackets: "x1 + x0 + (x2 + x3)". Here x2 is the contribution of rank 2, and operands
// without brackets associate to the left. A contribution to another block is written x2[5]. "" if
// the block was never written.
[[nodiscard]] std::string combination_text(const Schedule& schedule, Rank rank,
                                           std::uint32_t block);

}  // namespace tutti::inline schedules
