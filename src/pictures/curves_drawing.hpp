// Draws curves of times over sizes, both logarithmic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/pictures/picture.hpp"
#include "src/pictures/times_curves.hpp"

namespace tutti { inline namespace pictures {

// A size from which on another algorithm is the fastest.
struct Crossing {
  double bytes = 0;
  std::string to;
};

// Fills the body and the height of the picture, whose width must be set. Dashes distinguish curves
// that lie on each other, and a text lists these curves. `sizes_bytes` are ascending.
void draw_curves(Picture& picture, std::vector<Curve> curves,
                 const std::vector<std::uint64_t>& sizes_bytes,
                 const std::vector<Crossing>& crossings);

}}  // namespace tutti::pictures
