#include "src/pictures/round_diagram_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::inline pictures {

namespace {

constexpr std::uint64_t kLightest = 3;  // shade q3; lighter shades are hard to see as lines
constexpr std::uint64_t kDarkest = kShades - 1;

}  // namespace

std::string BlockColours::of(const std::vector<std::uint64_t>& blocks) const {
  if (blocks.empty() || blocks_ == 0) {
    return "f0";
  }
  const std::uint64_t first = std::min(blocks.front(), blocks_ - 1);
  return blocks_ <= kSeriesColours
             ? fmt::format("f{}", first)
             : fmt::format("q{}", kLightest + first * (kDarkest - kLightest + 1) / blocks_);
}

void BlockColours::put(Legend& legend) const {
  if (blocks_ <= 1) {
    return;
  }
  legend.heading("first block:");
  if (blocks_ > kSeriesColours) {
    legend.shades(kLightest, kDarkest, "b0", fmt::format("b{}", blocks_ - 1));
    return;
  }
  for (std::uint64_t block = 0; block < blocks_; ++block) {
    legend.box(fmt::format("f{}", block), fmt::format("b{}", block));
  }
}

}  // namespace tutti::inline pictures
