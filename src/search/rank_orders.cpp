#include "src/search/rank_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "src/simulation/machine.hpp"

namespace tutti { inline namespace search {

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
// order are neighbours in the grid.
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

// A cycle through the torus of a cycle with `rows` places and a cycle with `columns` places, as
// pairs (row, column): through a row, then, in the column where that ends, into the next row. A row
// is entered one column before the row above it was. `rows` must be a multiple of `columns`.
using TorusPlace = std::pair<std::uint32_t, std::uint32_t>;
std::vector<TorusPlace> shifted_rows(std::uint32_t rows, std::uint32_t columns) {
  std::vector<TorusPlace> cycle;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t i = 0; i < columns; ++i) {
      cycle.emplace_back(row, (i + columns - row % columns) % columns);
    }
  }
  return cycle;
}

// Follows the edges of the torus that shifted_rows() leaves out. Returns a cycle through all
// places, or an empty list if these edges form several cycles.
std::vector<TorusPlace> rest_of_torus(std::uint32_t rows, std::uint32_t columns) {
  std::vector<TorusPlace> cycle;
  TorusPlace at{0, columns - 1};
  bool along_row = true;  // from the end of row 0 to its start
  do {
    cycle.push_back(at);
    auto& [row, column] = at;
    if (along_row) {
      column = (column + 1) % columns;
      along_row = false;
    } else {
      row = (row + 1) % rows;
      // The edge from the end of a row to its start is free.
      along_row = column == (2 * columns - 1 - row % columns) % columns;
    }
  } while (at != cycle.front() && cycle.size() <= std::size_t{rows} * columns);
  return cycle.size() == std::size_t{rows} * columns ? cycle : std::vector<TorusPlace>();
}

// Returns two cycles of neighbours through a torus that have no edge in common; nothing if the
// sides do not divide one another as shifted_rows() needs it.
//
// Source: Bae and Bose, "Edge disjoint Hamiltonian cycles in k-ary n-cubes and hypercubes" (IEEE
// Transactions on Computers, 2003).
std::vector<std::vector<std::uint32_t>> disjoint_cycles(const std::vector<std::uint32_t>& sides) {
  std::vector<std::vector<std::uint32_t>> cycles{{}};
  for (std::uint32_t host = 0; host < sides[0]; ++host) {
    cycles[0].push_back(host);
  }
  for (std::size_t dimension = 1; dimension < sides.size(); ++dimension) {
    const std::vector<std::uint32_t> inner = cycles[0];
    const auto length = static_cast<std::uint32_t>(inner.size());
    const std::uint32_t side = sides[dimension];
    const bool inner_is_rows = length % side == 0;
    if (!inner_is_rows && side % length != 0) {
      return {};
    }
    const std::uint32_t rows = inner_is_rows ? length : side;
    const std::uint32_t columns = inner_is_rows ? side : length;
    cycles.clear();
    for (const auto& places : {shifted_rows(rows, columns), rest_of_torus(rows, columns)}) {
      std::vector<std::uint32_t>& cycle = cycles.emplace_back();
      for (const auto& [row, column] : places) {
        cycle.push_back(inner[inner_is_rows ? row : column] +
                        length * (inner_is_rows ? column : row));
      }
    }
  }
  return cycles.size() == 2 && !cycles[1].empty() ? cycles
                                                  : std::vector<std::vector<std::uint32_t>>();
}

}  // namespace

std::vector<RankOrder> disjoint_tours(const Goal& goal) {
  const PlatformShape shape = platform_shape(*goal.machine);
  const std::vector<Rank> all = by_number(goal.problem.ranks);
  std::vector<RankOrder> found;
  // Each host of the torus must have the rank of its number.
  if (shape.dimensions.size() < 2 || std::ranges::min(shape.dimensions) < 3 ||
      goal.host_of_rank != all ||
      std::accumulate(shape.dimensions.begin(), shape.dimensions.end(), std::uint64_t{1},
                      std::multiplies<>()) != all.size()) {
    return found;
  }
  for (std::vector<std::uint32_t>& cycle : disjoint_cycles(shape.dimensions)) {
    found.push_back({fmt::format("along cycle {} of two that share no link", found.size() + 1),
                     std::move(cycle)});
  }
  return found;
}

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
  for (RankOrder& tour : disjoint_tours(goal)) {
    add(std::move(tour.name), std::move(tour.ranks));
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

}}  // namespace tutti::search
