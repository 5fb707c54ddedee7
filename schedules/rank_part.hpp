// The part of one rank, for all ranks of a symmetric schedule (schedules/symmetry.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "schedules/algorithm.hpp"
#include "schedules/schedule.hpp"

namespace tutti {

// What `part.rank` sends and does locally, with real ranks; the algorithm must have that symmetry
// for this problem. A dependency on an operation of another rank is one on the same operation of
// this rank.
struct EmittedPart {
  Schedule schedule;
  std::uint64_t whole_dependencies = 0;  // of its operations, in the whole
};
[[nodiscard]] EmittedPart emit_part(const Algorithm& algorithm, const Problem& problem,
                                    OnePart part);

// As a schedule that any engine takes: messages go from rank 0 to rank 1, local work is rank 0's.
// Then rank 0's outgoing port and its core, and rank 1's incoming port, are as busy as those of
// every rank of the whole.
struct RankPart {
  Schedule schedule;  // on 2 ranks
  Symmetry symmetry = Symmetry::rotation;
  std::uint32_t stands_for = 1;          // ranks, and so many times each operation
  std::uint64_t whole_dependencies = 0;  // of the whole schedule
};

// Nothing where some ranks, which are looked at each time, turn out to have other parts. The
// algorithm must have the symmetry for this problem. Throws UserError as make_schedule() does.
[[nodiscard]] std::optional<RankPart> make_rank_part(const Algorithm& algorithm,
                                                     const Problem& problem, Symmetry symmetry);

}  // namespace tutti
