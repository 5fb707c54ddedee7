#include "src/requests/skewed_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tutti::inline requests {

std::vector<std::uint64_t> skewed_blocks(std::uint64_t elements, std::uint32_t blocks,
                                         double skew) {
  if (skew == 0) {
    return {};
  }
  std::vector<double> weights(blocks);
  double weight = 1;
  for (double& w : weights) {
    w = weight;
    weight /= 1 + skew;
  }
  // Add the small weights first, because rounding would lose them in a large sum.
  const double sum = std::accumulate(weights.rbegin(), weights.rend(), 0.0);
  std::vector<std::uint64_t> sizes(blocks);
  std::vector<double> lost(blocks);
  std::uint64_t left = elements;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const double share = static_cast<double>(elements) * (weights[i] / sum);
    sizes[i] = std::min(left, static_cast<std::uint64_t>(share));
    lost[i] = share - std::floor(share);
    left -= sizes[i];
  }
  std::vector<std::uint32_t> order(blocks);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return lost[a] > lost[b]; });
  for (std::size_t i = 0; i < order.size() && left > 0; ++i, --left) {
    ++sizes[order[i]];
  }
  sizes[0] += left;  // `left` is 0 here, except after rounding errors in `share`
  return sizes;
}

}  // namespace tutti::inline requests
