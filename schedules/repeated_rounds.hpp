// Rounds that repeat: in a ring, each step does what the step before it did, with other blocks of
// the same size. In a part of a pairwise exchange, a round has as many steps as there are classes
// of ranks, and each step does what the step of the round before did, with other ranks of the same
// classes.
//
// An emitter tells the builder which of its rounds are alike (ScheduleBuilder::alike). A builder
// that cuts such stretches emits only the first rounds of each. All that comes after the stretch
// follows the last emitted round as it would follow the last of all. A cut schedule does not solve
// the problem, but the time of the whole schedule follows from its run (sim/steady_rounds.hpp).
#pragma once

#include <cstdint>

#include "schedules/op.hpp"

namespace tutti { inline namespace schedules {

// A stretch of a cut schedule from which rounds were left out. Operation `i` of round r has the id
// first + r * ops + i.
struct RepeatedRounds {
  OpId first = 0;
  OpId ops = 0;             // of each round
  std::uint32_t steps = 1;  // of each round, one after the other
  std::uint32_t kept = 0;
  std::uint32_t left_out = 0;
  // Dependencies of the last round that was kept, counted as in whole_dependencies() of the
  // builder.
  std::uint64_t dependencies = 0;

  // Id of the first operation of a round, or of the operation after the stretch if round == kept.
  [[nodiscard]] OpId begin_of(std::uint32_t round) const { return first + round * ops; }
};

// Number of rounds that a builder emits of each stretch of rounds that are alike.
inline constexpr std::uint32_t kAllRounds = 0xffffffffU;

}}  // namespace tutti::schedules
