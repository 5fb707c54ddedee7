#include "src/search/valid_skips.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tutti { inline namespace search {

namespace {

// Rising lists 1, ... in which sums of different entries reach 0 to `reach`. The next entry may be
// at most one more than the reach, because smaller sums must come from the entries before it:
// entries only grow.
void extend(std::vector<std::uint32_t>& rising, std::uint64_t reach, std::uint32_t p,
            std::size_t most, std::vector<std::vector<std::uint32_t>>& found) {
  if (found.size() > most) {
    return;
  }
  if (reach + 1 >= p) {
    found.emplace_back(rising.rbegin(), rising.rend());
  }
  const auto largest = static_cast<std::uint32_t>(std::min<std::uint64_t>(reach + 1, p - 1));
  for (std::uint32_t next = rising.back() + 1; next <= largest; ++next) {
    rising.push_back(next);
    extend(rising, reach + next, p, most, found);
    rising.pop_back();
  }
}

bool is_valid(const std::vector<std::uint32_t>& skips, std::uint32_t p) {
  if (skips.empty() || skips.back() != 1 || skips.front() >= p) {
    return false;
  }
  std::uint64_t reach = 1;
  for (std::size_t i = skips.size() - 1; i-- > 0;) {
    if (skips[i] <= skips[i + 1] || skips[i] > reach + 1) {
      return false;
    }
    reach += skips[i];
  }
  return reach + 1 >= p;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> valid_skips(std::uint32_t p, std::size_t most) {
  std::vector<std::vector<std::uint32_t>> found;
  if (p < 2) {
    return found;
  }
  std::vector<std::uint32_t> rising{1};
  extend(rising, 1, p, most, found);
  if (found.size() > most) {
    found.clear();
  }
  return found;
}

std::vector<std::uint32_t> changed_skips(const std::vector<std::uint32_t>& skips, std::uint32_t p,
                                         SearchRandom& random) {
  constexpr int kTrials = 100;
  for (int trial = 0; trial < kTrials && p > 2; ++trial) {
    std::vector<std::uint32_t> made = skips;
    const auto at = random.below(static_cast<std::uint32_t>(made.size()));
    switch (random.below(4)) {
      case 0:
        made.erase(made.begin() + at);
        break;
      case 1:
        made.push_back(1 + random.below(p - 1));
        break;
      default: {
        const std::uint32_t most = std::max<std::uint32_t>(1, made[at] / 4);
        const std::uint32_t by = 1 + random.below(most);
        made[at] = random.below(2) == 0 ? made[at] + by : made[at] - std::min(by, made[at] - 1);
        break;
      }
    }
    std::ranges::sort(made, std::greater<>());
    made.erase(std::unique(made.begin(), made.end()), made.end());
    if (made != skips && is_valid(made, p)) {
      return made;
    }
  }
  return skips;
}

}}  // namespace tutti::search
