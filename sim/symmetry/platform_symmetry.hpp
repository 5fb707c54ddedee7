// Finds the moves of ranks that map the part of a platform that a symmetric schedule uses onto
// itself.
//
// A symmetric schedule (schedules/symmetry.hpp) has moves, which replace each rank by another one,
// its image. On a torus, rotating the ranks by one row maps every link to a link of the next row.
// On a fat tree, exchanging two halves of the ranks maps one half of the tree to the other.
// Whatever the topology is, a move is accepted if the following holds for every message that any
// rank sends:
//
// - The route between the two hosts and the route between their images have equal length and equal
//   figures. Link by link, they have equal bandwidth and the same kind of sharing.
// - A link has the same image on every route that contains it.
// - A host has the same image for all of its ranks, with equal speed and equal cores.
// - The routes between a host and its switch are mapped in the same way, if switches take part.
//
// Because the schedule is symmetric, a rank and its images send messages over the same distances. A
// move of the ranks maps these messages onto each other, so every link in use is the image of a
// link in use. A finite set that is mapped onto itself is mapped one to one, so no two links have
// the same image. The same is true of hosts. Accepted moves can be combined. So they define classes
// of ranks, links and hosts that the moves map onto each other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/rank_classes.hpp"

namespace tutti { inline namespace sim {

// Disjoint sets of indices, such as those of links, that moves map onto each other.
class Orbits {
 public:
  // Adds sets of one element each until there are `count` elements in total.
  void grow(std::size_t count);
  void join(std::uint32_t a, std::uint32_t b);
  // Returns the representative of the set that contains `index`.
  [[nodiscard]] std::uint32_t of(std::uint32_t index);
  [[nodiscard]] std::uint32_t size(std::uint32_t index) { return size_[of(index)]; }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> size_;
};

struct PlatformClasses {
  RankClasses ranks;
  Orbits links;  // links of the network
  Orbits hosts;
};

// Returns the value for RankClasses::set_others_alike() on this platform. Returns false if only a
// look at all routes could tell. `host_of_rank` must be the one from which the classes were found.
[[nodiscard]] bool others_alike(const Network& network, std::span<const std::uint32_t> host_of_rank,
                                PlatformClasses& classes);

// Returns the largest classes of ranks that are found, or nothing if each class is a single rank.
// `distances` are the distances over which the ranks of each class of the schedule send; class c
// has the ranks c, c + distances.size(), and so on. The number of checks per pair of ranks that
// exchange messages is limited; beyond the limit, returns the best classes found so far. If ranks
// exchange messages with switches that take part, `switch_of_rank` has the switch of each rank, as
// a vertex of the network; otherwise it is empty.
[[nodiscard]] std::optional<PlatformClasses> platform_classes(
    Network& network, std::span<const std::uint32_t> host_of_rank, std::uint32_t ranks,
    Symmetry symmetry, std::span<const std::vector<Rank>> distances,
    std::span<const std::uint32_t> switch_of_rank = {});

}}  // namespace tutti::sim
