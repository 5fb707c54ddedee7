// Ranks that are alike: where all ranks do the same at the same time, one of them says it all.
//
// A schedule is symmetric when moving every rank by the same amount turns it into itself. Each
// operation then stands for p of them, one for each rank, with the same dependencies; on a network
// on which all ranks are alike they start and end together, as long as none has to wait for a port
// or a core (who waits is decided by ids, and those are not alike). So it is enough to emit and to
// simulate the part of one rank: its sends and its local work.
//
// An algorithm says so of itself (Algorithm::symmetry); an emitter that loops over
// ScheduleBuilder::emitted_ranks() then emits one part or all. That this is the part of every rank
// is checked here at some ranks, each time, and by the tests at all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schedules/problem.hpp"

namespace tutti::inline schedules {

class Schedule;
struct Algorithm;

enum class Symmetry : std::uint8_t {
  rotation,  // rank r becomes r + k mod p
  exchange,  // rank r becomes r xor k; p is a power of two
};
[[nodiscard]] std::string_view name(Symmetry symmetry);

// By how much a rank is moved to become another.
[[nodiscard]] constexpr Rank shift(Symmetry symmetry, Rank from, Rank to, std::uint32_t p) {
  if (symmetry == Symmetry::exchange) {
    return from ^ to;
  }
  return to >= from ? to - from : to + p - from;
}

// What an algorithm says of its ranks: how they are alike, or why they are not.
struct RankSymmetry {
  std::optional<Symmetry> symmetry;
  std::string_view lacking;  // a clause: "blocks are uneven"
};

// For Algorithm::symmetry: whatever the sizes; where the blocks of all ranks have one size; and the
// same for powers of two of ranks that exchange with each other.
[[nodiscard]] RankSymmetry rotation(const Problem& problem);
[[nodiscard]] RankSymmetry rotation_of_even_blocks(const Problem& problem);
[[nodiscard]] RankSymmetry exchange(const Problem& problem);
[[nodiscard]] RankSymmetry exchange_of_even_blocks(const Problem& problem);

// What the algorithm says for this problem.
[[nodiscard]] RankSymmetry symmetry_of(const Algorithm& algorithm, const Problem& problem);

}  // namespace tutti::inline schedules
