#include "src/search/rank_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "src/simulation/machine.hpp"

namespace tutti::inline search {

namespace {

std::vector<Rank> by_number(std::uint32_t ranks) {
  std::vector<Rank> order(ranks);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

// The ranks 0, s, 2s, ..., then 1, s + 1, ...
std::vector<Rank> with_stride(std::uint32_t ranks, std::uint32_t stride) {
  std::vector<Rank> order;
  for (Rank first = 0; first < stride; ++first) {
    for (Rank rank = first; rank < ranks; rank += stride) {
      order.push_back(rank);
    }
  }
  return order;
}

// `order` with position i in place of the position whose bits are those of i reversed. The number
// of ranks must be a power of two.
std::vector<Rank> with_bits_reversed(const std::vector<Rank>& order) {
  std::vector<Rank> reversed(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::size_t other = 0;
    for (std::size_t bit = 1; bit < order.size(); bit *= 2) {
      other = other * 2 + ((i & bit) != 0 ? 1 : 0);
    }
    reversed[i] = order[other];
  }
  return reversed;
}

// The distance between ranks: the latency of the route, then its number of links.
class Distances {
 public:
  explicit Distances(const Goal& goal) : goal_(goal) {}
  [[nodiscard]] std::pair<double, std::size_t> of(Rank a, Rank b) const {
    const std::uint32_t src = goal_.host_of_rank[a];
    const std::uint32_t dst = goal_.host_of_rank[b];
    if (src == dst) {
      return {0, 0};
    }
    const NetworkRoute route = goal_.network->route(src, dst);
    return {route.figures->latency_s, route.hops.size()};
  }

 private:
  const Goal& goal_;
};

std::vector<Rank> nearest_next(const Goal& goal) {
  const Distances distances(goal);
  const std::uint32_t ranks = goal.problem.ranks;
  std::vector<Rank> order{0};
  std::vector<bool> taken(ranks);
  taken[0] = true;
  while (order.size() < ranks) {
    Rank best = ranks;
    std::pair<double, std::size_t> least{std::numeric_limits<double>::infinity(), 0};
    for (Rank rank = 0; rank < ranks; ++rank) {
      if (!taken[rank]) {
        const auto distance = distances.of(order.back(), rank);
        if (best == ranks || distance < least) {
          best = rank;
          least = distance;
        }
      }
    }
    taken[best] = true;
    order.push_back(best);
  }
  return order;
}

// To and fro through the rows of a grid of hosts, and through its planes, so that neighbours in the
// order are neighbours in the grid. With `last_apart`, the last dimension is walked through by
// itself at the end, which closes the tour to a cycle if another side is even.
std::vector<Rank> to_and_fro(const Goal& goal, const std::vector<std::uint32_t>& sides) {
  const auto key = [&](Rank rank) {
    std::uint32_t host = goal.host_of_rank[rank];
    std::vector<std::uint32_t> at;
    for (const std::uint32_t side : sides) {
      at.push_back(host % side);
      host /= side;
    }
    std::vector<std::uint32_t> place(at.rbegin(), at.rend());  // the slowest dimension first
    std::uint32_t turns = 0;
    for (std::size_t i = 0; i < place.size(); ++i) {
      const std::uint32_t side = sides[sides.size() - 1 - i];
      if (turns % 2 == 1) {
        place[i] = side - 1 - place[i];
      }
      turns += at[at.size() - 1 - i];
    }
    return place;
  };
  std::vector<Rank> order = by_number(goal.problem.ranks);
  std::ranges::stable_sort(order, {}, key);
  return order;
}

// A cycle through a grid of sides a x b x ...: to and fro through all but the first column, and
// back through that column. A cycle of neighbours if the slowest side is even.
std::vector<Rank> there_and_back(const Goal& goal, const std::vector<std::uint32_t>& sides) {
  std::vector<Rank> there;
  std::vector<Rank> back;
  for (const Rank rank : to_and_fro(goal, sides)) {
    const std::uint32_t row = goal.host_of_rank[rank];
    (row % sides[0] != 0 ? there : back).push_back(rank);
  }
  std::ranges::reverse(back);
  there.insert(there.end(), back.begin(), back.end());
  return there;
}

}  // namespace

std::vector<RankOrder> rank_orders(const Goal& goal) {
  const std::uint32_t ranks = goal.problem.ranks;
  std::vector<RankOrder> found;
  const auto add = [&](std::string name, std::vector<Rank> order) {
    if (std::ranges::find(found, order, &RankOrder::ranks) == found.end()) {
      found.push_back({std::move(name), std::move(order)});
    }
  };
  add("by number", by_number(ranks));
  const PlatformShape shape = platform_shape(*goal.machine);
  const std::vector<std::uint32_t>& sides = shape.dimensions;
  if (sides.size() > 1) {
    add("to and fro through the grid", to_and_fro(goal, sides));
    add("there and back through the grid", there_and_back(goal, sides));
  }
  constexpr std::uint32_t kMostForTour = 2048;
  if (ranks <= kMostForTour) {
    add("each next to the nearest that is left", nearest_next(goal));
  }
  if ((ranks & (ranks - 1)) == 0) {
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      if (i < found.size()) {
        const RankOrder from = found[i];
        add(from.name + ", bits reversed", with_bits_reversed(from.ranks));
      }
    }
  }
  for (std::uint32_t stride = 2; stride < ranks; ++stride) {
    if (ranks % stride == 0) {
      add(fmt::format("by number with stride {}", stride), with_stride(ranks, stride));
    }
  }
  return found;
}

RankOrder changed(const RankOrder& order, SearchRandom& random) {
  RankOrder made = order;
  made.name = order.name.ends_with(", changed") ? order.name : order.name + ", changed";
  std::vector<Rank>& ranks = made.ranks;
  const auto size = static_cast<std::uint32_t>(ranks.size());
  if (size < 2) {
    return made;
  }
  std::uint32_t length = 1;
  while (length * 4 <= size && random.below(2) == 0) {
    length *= 2;
  }
  const auto at = [&](std::uint32_t i) { return ranks.begin() + i; };
  switch (random.below(3)) {
    case 0: {  // two runs change places
      const std::uint32_t runs = size / length;
      const std::uint32_t a = random.below(runs) * length;
      const std::uint32_t b = random.below(runs) * length;
      if (a != b) {
        std::swap_ranges(at(a), at(a + length), at(b));
      }
      break;
    }
    case 1: {  // a run is turned round
      const std::uint32_t first = random.below(size);
      const std::uint32_t end = first + 1 + random.below(size - first);
      std::reverse(at(first), at(end));
      break;
    }
    default: {  // a run moves
      const std::uint32_t first = random.below(size);
      const std::uint32_t end = first + 1 + random.below(size - first);
      std::rotate(at(first), at(first + random.below(end - first)), at(end));
      break;
    }
  }
  return made;
}

}  // namespace tutti::inline search
