// The same search without any cleverness: every event of every message, every interleaving. It is
// what explore() is checked against, on small schedules; the two share nothing but the values.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "tests/schedules/explore/draft.hpp"
#include "tests/schedules/explore/values.hpp"

namespace tutti::explore {

// How a send ends: at once, or when the receiver has posted. `either`: the network chooses anew for
// each message.
enum class Protocol : std::uint8_t { eager, waiting, either };

struct FullFinding {
  bool exhausted = true;
  std::uint64_t states = 0;
  bool stuck = false;  // some reachable state is not an end, and nothing can happen in it
  bool undefined_read = false;
  bool wrong = false;
  bool touches_pending = false;  // as in Finding, seen to happen
  std::set<std::string> results;
  // Operations that access one block, one of them writing, seen in both orders; smaller first.
  std::set<std::pair<std::uint32_t, std::uint32_t>> races;
};

[[nodiscard]] FullFinding search_fully(const Draft& draft, Sameness sameness, Protocol protocol,
                                       std::uint64_t max_states = 2'000'000);

}  // namespace tutti::explore
