// Symmetry of ranks: if all ranks do the same things at the same time, one rank represents all of
// them.
//
// A schedule is symmetric if moving all ranks by the same amount maps it onto itself. Each
// operation then represents p operations, one per rank, with the same dependencies. On a network on
// which all ranks are equivalent, these p operations start and end together, as long as none waits
// for a port or a core (ids decide which operation waits, and ids are not symmetric). It is
// therefore enough to emit and simulate the part of one rank: its sends and its local work.
//
// A schedule for nodes may be symmetric only if ranks are moved by whole nodes. One rank for each
// distance within such a move then represents all others.
//
// An algorithm declares its symmetry (Algorithm::symmetry). Its emitter loops over
// ScheduleBuilder::emitted_ranks() and so emits either one rank's part or the parts of all ranks.
// Each call of make_rank_part() checks for some ranks that their parts are the same; the tests
// check all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

class Schedule;
struct Algorithm;

enum class Symmetry : std::uint8_t {
  rotation,  // rank r becomes r + k mod p
  exchange,  // rank r becomes r xor k; p is a power of two
};
[[nodiscard]] std::string_view name(Symmetry symmetry);

// The amount by which rank `from` must be moved to become `to`.
[[nodiscard]] constexpr Rank shift(Symmetry symmetry, Rank from, Rank to, std::uint32_t p) {
  if (symmetry == Symmetry::exchange) {
    return from ^ to;
  }
  return to >= from ? to - from : to + p - from;
}

// The symmetry of an algorithm's ranks, or the reason why there is none.
struct RankSymmetry {
  std::optional<Symmetry> symmetry;
  // Why there is no symmetry, as a clause: "blocks are uneven".
  std::string_view lacking;
  // Only moves by multiples of this number map the schedule onto itself. It divides p, and is 1 in
  // an exchange.
  std::uint32_t distance = 1;
};

// Values for Algorithm::symmetry. rotation() and exchange() are for algorithms that are symmetric
// for all sizes; the other two also require that the blocks of all ranks have the same size. Both
// kinds of exchange require that the number of ranks is a power of two.
[[nodiscard]] RankSymmetry rotation(const Problem& problem);
[[nodiscard]] RankSymmetry rotation_of_even_blocks(const Problem& problem);
[[nodiscard]] RankSymmetry exchange(const Problem& problem);
[[nodiscard]] RankSymmetry exchange_of_even_blocks(const Problem& problem);

// Returns the symmetry that the algorithm declares for this problem.
[[nodiscard]] RankSymmetry symmetry_of(const Algorithm& algorithm, const Problem& problem);

}}  // namespace tutti::schedules
