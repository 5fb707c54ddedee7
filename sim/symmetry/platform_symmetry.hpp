// Which moves of the ranks turn a platform into itself, as far as a symmetric schedule uses it.
//
// A schedule that is symmetric (schedules/symmetry.hpp) allows moves of all ranks; on a torus,
// turning them by one row carries every link onto the next row's, on a fat tree exchanging two
// halves of the ranks carries one half of the tree onto the other. Nothing is taken from the name
// of a shape: a move is accepted where, for every message that any rank sends,
//
//  - the route between the two hosts and the route between the hosts that they become are equally
//    long and have the same figures, and link by link equal bandwidth and the same kind of sharing;
//  - a link becomes the same link on every route on which it is;
//  - a host becomes the same host for all of its ranks, of equal speed and cores.
//
// All messages are those of all ranks over each distance that one rank sends over, because the
// schedule is symmetric. A move of the ranks carries these messages onto each other, so every link
// in use is what some link in use becomes; there are no more of the ones than of the others, so no
// two links become one. It is the same with hosts. Accepted moves can be combined, so they make
// classes of ranks; and the classes of links and of hosts that they carry onto each other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/rank_classes.hpp"

namespace tutti::inline sim {

// Things that moves carry onto each other.
class Orbits {
 public:
  // Each for itself.
  void grow(std::size_t count);
  void join(std::uint32_t a, std::uint32_t b);
  // One of those that are joined to it, always the same.
  [[nodiscard]] std::uint32_t of(std::uint32_t index);
  [[nodiscard]] std::uint32_t size(std::uint32_t index) { return size_[of(index)]; }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> size_;
};

struct PlatformClasses {
  RankClasses ranks;
  Orbits links;  // of the network
  Orbits hosts;
};

// The classes of most ranks that are found; nothing where every rank is alone. `distances`: of the
// messages of any rank. Looks at most some times at each pair of ranks that exchange messages, and
// is content with what it has found then.
[[nodiscard]] std::optional<PlatformClasses> platform_classes(
    Network& network, std::span<const std::uint32_t> host_of_rank, std::uint32_t ranks,
    Symmetry symmetry, std::span<const Rank> distances);

}  // namespace tutti::inline sim
