// Hosts with several network cards (rails).
//
// A host is split into as many hosts of the file as it has cards: each has one card, and the cores
// beside it. Everything that these cores send to other hosts uses this card. The parts of a host
// exchange messages through its memory. The file lists every route, as that of a mesh does, so that
// every engine reads it.
#pragma once

#include <cstdint>
#include <string>

#include "platforms/cluster_xml.hpp"

namespace tutti { inline namespace platforms {

struct Cards {
  std::uint32_t of_host = 1;
  // False: the cards of a host are next to each other in the network, at the same leaf switch.
  // True: the cards with the same number, of all hosts, are next to each other: each rail has leaf
  // switches of its own.
  bool rails = false;
  LinkFigures memory;  // of messages between two parts of a host, each pair for itself
};

// Largest number of cards in a file, which lists a route for each two of them.
inline constexpr std::uint64_t kMostCards = 512;

// Returns a platform file in which each host of the file `network` (the text of one <cluster>) is
// one card. Card j of host i is host node-i-j of the result. Throws UserError if the number of
// hosts is not a multiple of the number of cards, or above kMostCards.
[[nodiscard]] std::string with_cards(const std::string& network, const Cards& cards);

}}  // namespace tutti::platforms
