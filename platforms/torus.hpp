// A torus: hosts on a grid with wrap-around, each wired to its two neighbours in every dimension.
//
// There are no switches. A message passes through the hosts on its way: first along x, then y, and
// so on, each in the shorter direction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/cluster_xml.hpp"

namespace tutti::inline platforms {

struct Torus {
  // Numbers of hosts along x, y, and so on. Hosts 0 and 1 are neighbours along x.
  std::vector<std::uint32_t> dims;
  LinkFigures link;  // figures of each cable between neighbours
  NodeFigures node;
  std::string note;
};

// Returns the sides of the most cube-like torus with at most `dimensions` dimensions.
[[nodiscard]] std::vector<std::uint32_t> torus_sides(std::uint64_t hosts,
                                                     std::uint32_t dimensions = 3);

// Returns the number of links on the longest route.
[[nodiscard]] std::uint64_t longest_route_links(const Torus& torus);

// Returns the text of a platform file. Throws UserError if the parameters are impossible.
[[nodiscard]] std::string to_xml(const Torus& torus);

}  // namespace tutti::inline platforms
