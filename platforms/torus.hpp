// Grids of hosts, each wired to its neighbours in every dimension: a torus has wrap-around, a mesh
// does not.
//
// There are no switches. A message passes through the hosts on its way: first along x, then y, and
// so on. In a torus it takes the shorter direction of each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/cluster_xml.hpp"

namespace tutti { inline namespace platforms {

// A torus, or a mesh.
struct Torus {
  // Numbers of hosts along x, y, and so on. Hosts 0 and 1 are neighbours along x.
  std::vector<std::uint32_t> dims;
  LinkFigures link;  // figures of each cable between neighbours
  NodeFigures node;
  std::string note;
};

// Returns the sides of the most cube-like grid with at most `dimensions` dimensions. `kind` is the
// beginning of error messages.
[[nodiscard]] std::vector<std::uint32_t> torus_sides(std::uint64_t hosts,
                                                     std::uint32_t dimensions = 3,
                                                     std::string_view kind = "torus");

// Returns the number of links on the longest route.
[[nodiscard]] std::uint64_t longest_route_links(const Torus& torus);

// These functions return the text of a platform file. They throw UserError if the parameters are
// impossible. A mesh has a limited number of hosts, because its file lists the links of each route.
[[nodiscard]] std::string to_xml(const Torus& torus);
[[nodiscard]] std::string mesh_to_xml(const Torus& mesh);

// Throws UserError, which begins with `kind`, if the sides are impossible.
void check_sides(std::string_view kind, const std::vector<std::uint32_t>& dims);

}}  // namespace tutti::platforms
