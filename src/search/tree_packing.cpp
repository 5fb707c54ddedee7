#include "src/search/tree_packing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "sim/engine.hpp"
#include "src/search/transfers.hpp"

namespace tutti { inline namespace search {

namespace {

// The work of pack_trees() beyond which it does not move more ranks, in edges looked at.
constexpr std::uint64_t kMostMoveWork = 30'000'000;
constexpr std::uint32_t kMostSweeps = 60;
// Sweeps without a lower maximum after which the search for better parents ends.
constexpr std::uint32_t kPatience = 6;

class TreePacker {
 public:
  TreePacker(const TreeEdges& edges, std::vector<PackedTree> trees, double depth_weight,
             SearchRandom random)
      : edges_(edges),
        trees_(std::move(trees)),
        depth_weight_(depth_weight),
        random_(random),
        load_s_(edges.resources()),
        price_(edges.resources()) {
    for (const PackedTree& tree : trees_) {
      for (const TreeEdges::Edge& edge : edges_.edges()) {
        for (const TreeEdges::Use& use : edges_.uses(edge)) {
          unit_s_ = std::max(unit_s_, use.s_per_byte * tree.bytes);
        }
      }
    }
  }

  std::vector<PackedTree> run() {
    for (PackedTree& tree : trees_) {
      set_prices();
      grow(tree);
    }
    set_prices();
    best_ = trees_;
    best_s_ = most_s_;
    std::vector<std::uint32_t> order(trees_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::uint32_t last_better = 0;
    for (std::uint32_t sweep = 0;
         sweep < kMostSweeps && sweep < last_better + kPatience && work_ < kMostMoveWork; ++sweep) {
      random_.shuffle(order);
      for (const std::uint32_t tree : order) {
        move_ranks(trees_[tree]);
      }
      set_prices();
      if (most_s_ < best_s_ * (1 - 1e-9)) {
        best_ = trees_;
        best_s_ = most_s_;
        last_better = sweep;
      }
    }
    return std::move(best_);
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  // Cost of a tree's edge: about the growth of a sum over all links and ports of a function that is
  // exponential in the load.
  [[nodiscard]] double cost(const PackedTree& tree, const TreeEdges::Edge& edge) {
    double sum = 0;
    for (const TreeEdges::Use& use : edges_.uses(edge)) {
      sum += use.s_per_byte * price_[use.resource];
    }
    // Random numbers decide between almost equal edges.
    return unit_s_ > 0 ? sum * tree.bytes / unit_s_ * (1 + 0.05 * random_.fraction()) : 0;
  }

  // The price of the most loaded link or port becomes 1.
  void set_prices() {
    most_s_ = load_s_.empty() ? 0 : std::ranges::max(load_s_);
    for (std::size_t i = 0; unit_s_ > 0 && i < load_s_.size(); ++i) {
      price_[i] = std::exp((load_s_[i] - most_s_) / unit_s_);
    }
  }

  void load(const PackedTree& tree, const TreeEdges::Edge& edge, double sign) {
    for (const TreeEdges::Use& use : edges_.uses(edge)) {
      const double more_s = sign * use.s_per_byte * tree.bytes;
      load_s_[use.resource] += more_s;
      price_[use.resource] *= unit_s_ > 0 ? std::exp(more_s / unit_s_) : 1;
    }
  }

  // Adds the cheapest edge out of the tree until the tree spans all ranks.
  void grow(PackedTree& tree) {
    const std::uint32_t ranks = edges_.ranks();
    tree.edge.assign(ranks, PackedTree::kNoEdge);
    constexpr std::uint32_t kOutside = 0xffffffffU;
    std::vector<std::uint32_t> depth(ranks, kOutside);
    std::vector<double> least(ranks, kInfinity);
    const auto offer = [&](std::uint32_t number) {
      const TreeEdges::Edge& edge = edges_.edges()[number];
      const double costs = cost(tree, edge) + depth_weight_ * (depth[edge.src] + 1);
      if (costs < least[edge.dst]) {
        least[edge.dst] = costs;
        tree.edge[edge.dst] = number;
      }
    };
    const auto join = [&](Rank rank, std::uint32_t at_depth) {
      depth[rank] = at_depth;
      least[rank] = kInfinity;
      for (const std::uint32_t out : edges_.out_of(rank)) {
        if (depth[edges_.edges()[out].dst] == kOutside) {
          offer(out);
        }
      }
    };
    join(tree.root, 0);
    for (std::uint32_t joined = 1; joined < ranks;) {
      const Rank next = static_cast<Rank>(std::ranges::min_element(least) - least.begin());
      TUTTI_INVARIANT(least[next] < kInfinity);
      // Edges that were added to the tree since then may have loaded the same links.
      const double before = std::exchange(least[next], kInfinity);
      for (const std::uint32_t into : edges_.into(next)) {
        if (depth[edges_.edges()[into].src] != kOutside) {
          offer(into);
        }
      }
      if (least[next] > before * kDearer) {
        continue;
      }
      const TreeEdges::Edge& edge = edges_.edges()[tree.edge[next]];
      load(tree, edge, 1);
      join(next, depth[edge.src] + 1);
      ++joined;
    }
  }

  // Returns the number of edges from the root to the rank; nothing if `without` is on the way.
  [[nodiscard]] std::optional<std::uint32_t> depth(const PackedTree& tree, Rank rank,
                                                   Rank without) const {
    std::uint32_t count = 0;
    for (; rank != tree.root; ++count) {
      if (rank == without) {
        return std::nullopt;
      }
      rank = edges_.edges()[tree.edge[rank]].src;
    }
    return count;
  }

  // Gives each rank of the tree its cheapest parent.
  void move_ranks(PackedTree& tree) {
    for (Rank rank = 0; rank < edges_.ranks(); ++rank) {
      if (rank == tree.root) {
        continue;
      }
      load(tree, edges_.edges()[tree.edge[rank]], -1);
      double least = kInfinity;
      std::uint32_t best = tree.edge[rank];
      for (const std::uint32_t into : edges_.into(rank)) {
        const TreeEdges::Edge& edge = edges_.edges()[into];
        const double costs = cost(tree, edge);
        if (costs >= least) {
          continue;
        }
        if (const auto levels = depth(tree, edge.src, rank)) {
          if (costs + depth_weight_ * (*levels + 1) < least) {
            least = costs + depth_weight_ * (*levels + 1);
            best = into;
          }
        }
      }
      work_ += edges_.into(rank).size();
      tree.edge[rank] = best;
      load(tree, edges_.edges()[best], 1);
    }
  }

  // An edge is looked at again if its cost has grown by this factor.
  static constexpr double kDearer = 1.1;

  const TreeEdges& edges_;
  std::vector<PackedTree> trees_;
  double depth_weight_;
  SearchRandom random_;
  std::vector<double> load_s_;  // of each link and port
  std::vector<double> price_;   // of each link and port
  double unit_s_ = 0;           // the most that an edge adds to a load
  double most_s_ = 0;           // the highest load
  std::vector<PackedTree> best_;
  double best_s_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace

TreeEdges::TreeEdges(const Goal& goal)
    : routes_(goal, only_backwards(goal.problem.collective)),
      resources_(routes_.all_links()),
      out_(routes_.ranks()),
      into_(routes_.ranks()) {
  const std::uint32_t ports = goal.machine->setup.ports;
  const std::uint32_t first_port = resources_;
  if (ports != kUnlimitedPorts) {
    resources_ += 2 * ranks();
  }
  std::vector<std::vector<std::uint32_t>> links(std::size_t{ranks()} * ranks());
  for (Rank src = 0; src < ranks(); ++src) {
    for (Rank dst = 0; dst < ranks(); ++dst) {
      auto& sorted = links[std::size_t{src} * ranks() + dst];
      std::ranges::copy(routes_.links(routes_.route(src, dst)), std::back_inserter(sorted));
      std::ranges::sort(sorted);
    }
  }
  for (Rank src = 0; src < ranks(); ++src) {
    for (Rank dst = 0; dst < ranks(); ++dst) {
      if (src == dst || passes_a_rank(src, dst, links)) {
        continue;
      }
      Edge edge{src, dst, static_cast<std::uint32_t>(uses_.size()), 0};
      const RankRoute& route = routes_.route(src, dst);
      for (const std::uint32_t link : routes_.links(route)) {
        uses_.push_back({link, 1 / routes_.capacity(link)});
      }
      if (ports != kUnlimitedPorts) {
        const double s_per_byte = 1 / (route.bytes_per_s * ports);
        uses_.push_back({first_port + src, s_per_byte});
        uses_.push_back({first_port + ranks() + dst, s_per_byte});
      }
      edge.end_use = static_cast<std::uint32_t>(uses_.size());
      out_[src].push_back(static_cast<std::uint32_t>(edges_.size()));
      into_[dst].push_back(static_cast<std::uint32_t>(edges_.size()));
      edges_.push_back(edge);
    }
  }
}

bool TreeEdges::passes_a_rank(Rank src, Rank dst,
                              const std::vector<std::vector<std::uint32_t>>& links) const {
  const auto& whole = links[std::size_t{src} * ranks() + dst];
  std::vector<std::uint32_t> both;
  for (Rank on_way = 0; whole.size() > 1 && on_way < ranks(); ++on_way) {
    const auto& to = links[std::size_t{src} * ranks() + on_way];
    const auto& from = links[std::size_t{on_way} * ranks() + dst];
    if (to.empty() || from.empty() || to.size() + from.size() != whole.size()) {
      continue;
    }
    both.clear();
    std::ranges::merge(to, from, std::back_inserter(both));
    if (both == whole) {
      return true;
    }
  }
  return false;
}

std::vector<PackedTree> pack_trees(const TreeEdges& edges, std::vector<PackedTree> trees,
                                   double depth_weight, SearchRandom random) {
  return TreePacker(edges, std::move(trees), depth_weight, random).run();
}

double maximum_load_s(const TreeEdges& edges, const std::vector<PackedTree>& trees) {
  std::vector<double> load_s(edges.resources());
  for (const PackedTree& tree : trees) {
    for (const std::uint32_t edge : tree.edge) {
      if (edge != PackedTree::kNoEdge) {
        for (const TreeEdges::Use& use : edges.uses(edges.edges()[edge])) {
          load_s[use.resource] += use.s_per_byte * tree.bytes;
        }
      }
    }
  }
  return load_s.empty() ? 0 : *std::ranges::max_element(load_s);
}

}}  // namespace tutti::search
