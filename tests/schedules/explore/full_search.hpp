// Brute-force search of all interleavings of all events. Tests compare explore() with this search
// on small schedules. The two searches share only the representation of drafts, places and values.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "tests/schedules/explore/draft.hpp"
#include "tests/schedules/explore/values.hpp"

namespace tutti::explore {

// When a send ends: as soon as its source has been read (eager), or only after the receiver has
// also posted its receive (waiting). With `either`, the network chooses for each message.
enum class Protocol : std::uint8_t { eager, waiting, either };

struct FullFinding {
  bool exhausted = true;
  std::uint64_t states = 0;
  // True if in some reachable state no event can happen although operations are unfinished.
  bool stuck = false;
  bool undefined_read = false;
  bool wrong = false;
  // Like Finding::touches_pending, but observed during the search.
  bool touches_pending = false;
  std::set<std::string> results;
  // Pairs of operations that access the same block, at least one of them writing, and that the
  // search saw in both orders. Each pair appears once, the smaller number first.
  std::set<std::pair<std::uint32_t, std::uint32_t>> races;
};

[[nodiscard]] FullFinding search_fully(const Draft& draft, Sameness sameness, Protocol protocol,
                                       std::uint64_t max_states = 2'000'000);

}  // namespace tutti::explore
