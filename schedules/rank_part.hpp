// The part of one rank of each class, for all ranks of a symmetric schedule
// (schedules/symmetry.hpp, schedules/rank_classes.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

// As a schedule that any engine takes: what the first rank of class c sends and does locally is
// rank c's, and what goes to a rank of class c goes to rank c plus the number of classes; with one
// class, all messages go from rank 0 to rank 1. Outgoing ports, cores and incoming ports are then
// as busy as those of the ranks of the whole. A dependency on an operation of another rank is one
// on the operation of that rank's class that stands for it. There are no blocks, which no time
// depends on.
struct RankPart {
  Schedule schedule;  // on twice as many ranks as there are classes
  RankClasses classes;
  // By operation: the rank of the whole to which the message of the first rank of its class goes.
  std::vector<Rank> targets;
  std::uint64_t whole_dependencies = 0;  // of the whole schedule

  // Ranks, and so many times each operation.
  [[nodiscard]] std::uint32_t stands_for() const { return classes.size(); }
};

// The algorithm must have the symmetry of the classes for this problem. `part.moved`: emitted as
// the part of other ranks than the first; the result is to be the same.
[[nodiscard]] RankPart emit_part(const Algorithm& algorithm, const Problem& problem,
                                 ClassPart part);

// The part of rank 0, for all. Nothing where some ranks, which are looked at each time, turn out to
// have other parts: at least three, and as many as about `ops` operations take. The algorithm must
// have the symmetry for this problem. Throws UserError as make_schedule() does.
[[nodiscard]] std::optional<RankPart> make_rank_part(const Algorithm& algorithm,
                                                     const Problem& problem, Symmetry symmetry,
                                                     std::size_t ops = 0);

// The distances (shift() of schedules/symmetry.hpp) that messages of the part of one rank go, each
// once, ascending.
[[nodiscard]] std::vector<Rank> distances(const RankPart& part);

}  // namespace tutti::inline schedules
