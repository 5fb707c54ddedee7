// Node-aware schedules: any split of the ranks into nodes, any radix for each phase between nodes
// and for each round within them, and any order of nodes and cores, which decides which core talks
// to which node. With a single node they are allreduces by census, Bruck's allgathers and so on,
// with a radix for each round.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "schedules/patterns/digit_hops.hpp"
#include "schedules/patterns/nodes.hpp"
#include "src/search/family.hpp"
#include "src/search/rank_orders.hpp"

namespace tutti { inline namespace search {

namespace {

using Cores = std::vector<std::vector<Rank>>;
using EmitNodes = void (*)(const NodeShape&, ScheduleBuilder&);

EmitNodes emitter(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
      return allreduce::emit_nodes;
    case Collective::bcast:
      return bcast::emit_nodes;
    case Collective::reduce:
      return reduce::emit_nodes;
    case Collective::allgather:
      return allgather::emit_nodes;
    case Collective::reduce_scatter:
      return reduce_scatter::emit_nodes;
    default:
      return nullptr;
  }
}

// Puts the root, if there is one, first: it must be core 0 of node 0.
void put_root_first(const Problem& problem, Cores& cores) {
  if (!has_root(problem.collective)) {
    return;
  }
  for (std::size_t node = 0; node < cores.size(); ++node) {
    const auto root = std::ranges::find(cores[node], problem.root);
    if (root != cores[node].end()) {
      std::iter_swap(cores[node].begin(), root);
      std::swap(cores.front(), cores[node]);
    }
  }
}

class NodesDraft final : public Draft {
 public:
  NodesDraft(const Goal& goal, Cores cores, std::vector<std::uint32_t> between,
             std::vector<std::uint32_t> within)
      : goal_(goal),
        shape_{Nodes(cores), std::move(between), std::move(within)},
        cores_(std::move(cores)) {}

  [[nodiscard]] Schedule schedule(Detail detail) const override {
    const Problem& problem = goal_.problem;
    ScheduleBuilder builder(
        problem, owns_parts(problem.collective) ? block_per_rank(problem) : one_block(problem),
        detail);
    emitter(problem.collective)(shape_, builder);
    return builder.finish();
  }

  [[nodiscard]] std::string in_words() const override {
    std::set<std::size_t> sizes;
    for (const std::vector<Rank>& node : cores_) {
      sizes.insert(node.size());
    }
    const bool even = sizes.size() == 1;
    return fmt::format("node-aware: {} nodes of {}{} ranks, radices {} between and {} within them",
                       cores_.size(), even ? "" : fmt::format("{} to ", *sizes.begin()),
                       *sizes.rbegin(), in_words(shape_.nodes.count(), shape_.between),
                       in_words(shape_.nodes.largest(), shape_.within));
  }

  [[nodiscard]] std::unique_ptr<const Draft> neighbour(SearchRandom& random) const override {
    Cores cores = cores_;
    std::vector<std::uint32_t> between = shape_.between;
    std::vector<std::uint32_t> within = shape_.within;
    switch (random.below(5)) {
      case 0:
        change_radices(between, random);
        break;
      case 1:
        change_radices(within, random);
        break;
      case 2:
        swap_two(cores, random);
        break;
      case 3:
        swap_two(any(cores, random), random);
        break;
      default:
        move_core(cores, random);
        break;
    }
    put_root_first(goal_.problem, cores);
    return std::make_unique<NodesDraft>(goal_, std::move(cores), std::move(between),
                                        std::move(within));
  }

 private:
  static std::string in_words(std::uint32_t count, const std::vector<std::uint32_t>& radices) {
    const std::vector<std::uint32_t> used = radices_for(count, radices);
    return used.empty() ? "-" : fmt::format("{}", fmt::join(used, " x "));
  }

  template <typename Item>
  static Item& any(std::vector<Item>& items, SearchRandom& random) {
    return items[random.below(static_cast<std::uint32_t>(items.size()))];
  }

  template <typename Item>
  static void swap_two(std::vector<Item>& items, SearchRandom& random) {
    Item& one = any(items, random);
    Item& other = any(items, random);
    std::swap(one, other);
  }

  static void change_radices(std::vector<std::uint32_t>& radices, SearchRandom& random) {
    switch (random.below(6)) {
      case 0:
        radices.push_back(any(radices, random));
        break;
      case 1:
        if (radices.size() > 1) {
          radices.pop_back();
        }
        break;
      case 2:
        swap_two(radices, random);
        break;
      case 3:
        any(radices, random) = 2 + random.below(8);
        break;
      default: {
        std::uint32_t& radix = any(radices, random);
        radix = random.below(2) == 0 ? radix + 1 : std::max(2U, radix - 1);
        break;
      }
    }
  }

  // Moves a core to another node, or to a new one.
  static void move_core(Cores& cores, SearchRandom& random) {
    const std::uint32_t from = random.below(static_cast<std::uint32_t>(cores.size()));
    const std::uint32_t into = random.below(static_cast<std::uint32_t>(cores.size()) + 1);
    if (into == from) {
      return;
    }
    if (into == cores.size()) {
      cores.emplace_back();
    }
    cores[into].push_back(cores[from].back());
    cores[from].pop_back();
    if (cores[from].empty()) {
      cores.erase(cores.begin() + from);
    }
  }

  const Goal& goal_;
  NodeShape shape_;
  Cores cores_;
};

class NodesFamily final : public Family {
 public:
  explicit NodesFamily(const Goal& goal) : goal_(goal) {}

  [[nodiscard]] std::string_view name() const override { return "nodes"; }

  [[nodiscard]] Drafts propose(SearchRandom&) const override {
    Drafts made;
    if (emitter(goal_.problem.collective) == nullptr) {
      return made;
    }
    for (Cores& cores : splits()) {
      put_root_first(goal_.problem, cores);
      const Nodes nodes(cores);
      std::set<std::uint32_t> between{2};
      for (const std::uint32_t radix :
           {3U, 4U, nodes.smallest() + 1, 2 * nodes.smallest() + 1, nodes.count()}) {
        between.insert(std::clamp(radix, 2U, std::max(2U, nodes.count())));
      }
      for (const std::uint32_t within :
           std::set{2U, std::clamp(nodes.largest(), 2U, 4U), std::max(2U, nodes.largest())}) {
        for (const std::uint32_t radix : between) {
          made.push_back(
              std::make_unique<NodesDraft>(goal_, cores, std::vector{radix}, std::vector{within}));
        }
      }
    }
    return made;
  }

 private:
  // The ranks of each host as a node, if some host has several; then nodes of equal size, made of
  // neighbours in several orders of the ranks.
  [[nodiscard]] std::vector<Cores> splits() const {
    const std::uint32_t ranks = goal_.problem.ranks;
    std::vector<Cores> all;
    std::map<std::uint32_t, std::vector<Rank>> hosts;
    for (Rank rank = 0; rank < ranks; ++rank) {
      hosts[goal_.host_of_rank[rank]].push_back(rank);
    }
    if (hosts.size() < ranks) {
      Cores& cores = all.emplace_back();
      for (auto& [host, members] : hosts) {
        cores.push_back(std::move(members));
      }
    }
    constexpr std::size_t kMostOrders = 3;
    const std::vector<RankOrder> orders = rank_orders(goal_);
    for (std::size_t i = 0; i < std::min(orders.size(), kMostOrders); ++i) {
      for (std::uint64_t size = 1; size < 2 * std::uint64_t{ranks}; size *= 2) {
        Cores& cores = all.emplace_back();
        for (std::uint32_t at = 0; at < ranks; ++at) {
          if (at % size == 0) {
            cores.emplace_back();
          }
          cores.back().push_back(orders[i].ranks[at]);
        }
      }
    }
    return all;
  }

  const Goal& goal_;
};

}  // namespace

std::unique_ptr<Family> nodes_family(const Goal& goal) {
  return std::make_unique<NodesFamily>(goal);
}

}}  // namespace tutti::search
