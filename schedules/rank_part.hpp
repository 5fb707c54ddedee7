// The part of a symmetric schedule that one rank of each class performs. This part represents the
// whole schedule (see schedules/symmetry.hpp and schedules/rank_classes.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// The part as a schedule that any engine can run. Rank c sends and computes as the first rank of
// class c does, and a message to a rank of class c goes to rank c plus the number of classes. With
// one class, all messages go from rank 0 to rank 1. Outgoing ports, cores and incoming ports are
// then as busy as those of a rank in the whole schedule. A dependency on an operation of another
// rank becomes a dependency on the operation that represents it. There are no blocks, because no
// time depends on them.
struct RankPart {
  // Has twice as many ranks as there are classes.
  Schedule schedule;
  RankClasses classes;
  // By operation: the rank of the whole schedule to which the message goes if the first rank of the
  // sender's class sends it.
  std::vector<Rank> targets;
  // Number of dependencies of the whole schedule.
  std::uint64_t whole_dependencies = 0;

  // Number of ranks that each rank of the part represents; also the number of operations that each
  // operation represents.
  [[nodiscard]] std::uint32_t stands_for() const { return classes.size(); }
};

// Emits the part. For this problem, the algorithm must have the symmetry of part.classes. If
// part.moved is not 0, emits the part of other ranks of the classes than the first ones; the result
// must be the same.
// `most_rounds`: of each stretch of rounds that are alike, emits this many (see
// schedules/repeated_rounds.hpp); `whole_dependencies` then counts those of all rounds.
[[nodiscard]] RankPart emit_part(const Algorithm& algorithm, const Problem& problem, ClassPart part,
                                 std::uint32_t most_rounds = kAllRounds);

// Returns the part for the largest classes that the symmetry allows: that of rank 0, which
// represents all ranks, unless symmetry.distance is above 1. Compares the part with those of some
// other ranks: up to three fixed ones, and more until about `ops` operations have been emitted.
// Returns nothing if any part differs. For this problem, the algorithm must have the given
// symmetry. Throws UserError as make_schedule() does.
[[nodiscard]] std::optional<RankPart> make_rank_part(const Algorithm& algorithm,
                                                     const Problem& problem,
                                                     const RankSymmetry& symmetry,
                                                     std::size_t ops = 0);

// For each class, the distances from sender to receiver of all messages that a rank of the class
// sends to other ranks, as shift() of schedules/symmetry.hpp defines them: each once, ascending.
[[nodiscard]] std::vector<std::vector<Rank>> distances(const RankPart& part);

}}  // namespace tutti::schedules
