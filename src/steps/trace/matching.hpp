// Which nodes of different ranks of a trace belong together.
#pragma once

#include <cstdint>
#include <vector>

#include "src/interchange/chakra_trace.hpp"

namespace tutti { inline namespace steps {

inline constexpr std::uint32_t kNoMatch = 0xffffffffU;

// A collective, or a message. By member of the group, or sender and receiver: the node of its rank.
struct TraceMatch {
  std::uint32_t group = kNoMatch;  // kNoMatch: a message
  Rank src = 0;                    // of a message
  Rank dst = 0;
  std::uint64_t comm_size = 0;
  std::vector<std::uint32_t> nodes;
};

struct TraceMatches {
  std::vector<TraceMatch> matches;
  // By rank and node: the match; kNoMatch if the node does not communicate.
  std::vector<std::vector<std::uint32_t>> match_of;
  // By rank and node: the collective before it in its group; kNoMatch if there is none.
  std::vector<std::vector<std::uint32_t>> before;
};

// Matches the collectives of a group by their order at each rank, and sends with receives by ranks,
// tag and order, as MPI does. The order of a rank is that of its dependencies and, where these
// allow several, of the file. Throws UserError, which names the nodes: for collectives that differ,
// for a send without a receive or the opposite, and for dependencies in a cycle.
[[nodiscard]] TraceMatches matches_of(const ChakraTrace& trace);

// Returns the place of a node for messages: "'step.1.et', node 7".
[[nodiscard]] std::string place_of(const ChakraTrace& trace, Rank rank, std::uint32_t node);

}}  // namespace tutti::steps
