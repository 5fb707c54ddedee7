#include "platforms/fat_tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"

namespace tutti { inline namespace platforms {
namespace {

constexpr const char* kFatTree = "fat_tree";

std::uint64_t capped_product(std::uint64_t a, std::uint64_t b, std::uint64_t limit) {
  // The product does not overflow, because both factors and all limits have at most 32 bits.
  return std::min(a * b, limit + 1);
}

// Returns the number of hosts, followed by the number of switches of each level.
std::vector<std::uint64_t> nodes_per_level(const FatTree& tree) {
  const std::size_t levels = tree.down.size();
  std::vector<std::uint64_t> nodes(levels + 1, 1);
  for (std::size_t level = 0; level <= levels; ++level) {
    for (std::size_t i = 0; i < levels; ++i) {
      nodes[level] =
          capped_product(nodes[level], i < level ? tree.up[i] : tree.down[i], kMaxPlatformCables);
    }
  }
  return nodes;
}

void check(const FatTree& tree) {
  constexpr std::size_t kMaxLevels = 8;
  constexpr std::uint32_t kMaxCount = 65536;
  const std::array<std::pair<std::string_view, const std::vector<std::uint32_t>*>, 3> lists = {
      {{"down", &tree.down}, {"up", &tree.up}, {"cables", &tree.cables}}};
  if (tree.down.empty() || tree.down.size() > kMaxLevels) {
    throw UserError(
        fmt::format("fat_tree: down has {} numbers, one per level; it must have 1 to {}",
                    tree.down.size(), kMaxLevels));
  }
  for (const auto& [name, list] : lists) {
    if (list->size() != tree.down.size()) {
      throw UserError(
          fmt::format("fat_tree: down {} has {}, but {} {} has {}; each needs one number per level",
                      fmt::join(tree.down, ","), counted(tree.down.size(), "level"), name,
                      fmt::join(*list, ","), counted(list->size(), "number")));
    }
    for (const std::uint32_t count : *list) {
      if (count == 0 || count > kMaxCount) {
        throw UserError(fmt::format("fat_tree: {} {} has a {}; each number must be 1 to {}", name,
                                    fmt::join(*list, ","), count, kMaxCount));
      }
    }
  }
  const std::vector<std::uint64_t> nodes = nodes_per_level(tree);
  if (nodes[0] > kMaxPlatformHosts) {
    throw UserError(fmt::format("fat_tree: down {} makes more than {} hosts",
                                fmt::join(tree.down, ","), kMaxPlatformHosts));
  }
  std::uint64_t cables = 0;
  for (std::size_t level = 0; level + 1 < nodes.size(); ++level) {
    if (nodes[level + 1] > kMaxPlatformHosts) {
      throw UserError(fmt::format(
          "fat_tree: up {} and down {} make more than {} switches at level {}",
          fmt::join(tree.up, ","), fmt::join(tree.down, ","), kMaxPlatformHosts, level + 1));
    }
    cables += capped_product(capped_product(nodes[level], tree.up[level], kMaxPlatformCables),
                             tree.cables[level], kMaxPlatformCables);
  }
  if (cables > kMaxPlatformCables) {
    throw UserError(fmt::format("fat_tree: up {} and cables {} make more than {} cables",
                                fmt::join(tree.up, ","), fmt::join(tree.cables, ","),
                                kMaxPlatformCables));
  }
}

std::vector<std::uint64_t> divisors(std::uint64_t number) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t d = 1; d <= number; ++d) {
    if (number % d == 0) {
      found.push_back(d);
    }
  }
  return found;
}

// Returns the number of cables up for a switch with `down` cables down; nothing if this number is
// not whole.
std::optional<std::uint64_t> thinned(std::uint64_t down, double thinness) {
  const double up = static_cast<double>(down) / thinness;
  const double whole = std::round(up);
  if (whole < 1 || std::abs(up - whole) > 1e-9 * whole || whole > 1e6) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(whole);
}

// Keeps the tree with the fewest switches. If several trees have equally few switches, keeps the
// one that was offered last, which has more children at the lower levels.
class Fewest {
 public:
  void offer(std::uint64_t switches, const std::vector<std::uint64_t>& down,
             const std::vector<std::uint64_t>& up, const std::vector<std::uint64_t>& cables) {
    if (switches > switches_) {
      return;
    }
    switches_ = switches;
    const auto narrow = [](const std::vector<std::uint64_t>& from) {
      std::vector<std::uint32_t> to;
      to.reserve(from.size());
      for (const std::uint64_t value : from) {
        to.push_back(static_cast<std::uint32_t>(value));
      }
      return to;
    };
    tree_.down = narrow(down);
    tree_.up = narrow(up);
    tree_.cables = narrow(cables);
  }
  [[nodiscard]] bool found() const { return !tree_.down.empty(); }
  [[nodiscard]] const FatTree& tree() const { return tree_; }

 private:
  std::uint64_t switches_ = std::numeric_limits<std::uint64_t>::max();
  FatTree tree_;
};

void offer_two_levels(std::uint64_t hosts, std::uint64_t radix, double thinness, Fewest& fewest) {
  for (const std::uint64_t per_leaf : divisors(hosts)) {
    const auto up = thinned(per_leaf, thinness);
    const std::uint64_t leaves = hosts / per_leaf;
    if (leaves == 1 || !up || per_leaf + *up > radix) {
      continue;
    }
    for (const std::uint64_t cables : divisors(*up)) {
      if (leaves * cables <= radix) {
        const std::uint64_t tops = *up / cables;
        fewest.offer(leaves + tops, {per_leaf, leaves}, {1, tops}, {1, cables});
      }
    }
  }
}

void offer_three_levels(std::uint64_t hosts, std::uint64_t radix, double thinness, Fewest& fewest) {
  for (const std::uint64_t per_leaf : divisors(hosts)) {
    if (2 * per_leaf > radix) {
      continue;
    }
    for (const std::uint64_t leaves : divisors(hosts / per_leaf)) {  // leaves per pod
      const std::uint64_t pods = hosts / per_leaf / leaves;
      if (leaves == 1 || pods == 1) {
        continue;
      }
      for (const std::uint64_t low_cables : divisors(per_leaf)) {
        const std::uint64_t middles = per_leaf / low_cables;
        const std::uint64_t down = leaves * low_cables;
        const auto up = thinned(down, thinness);
        // with_single_cables() requires that the cables up of a switch can be divided evenly among
        // the `low_cables` switches into which it is split.
        if (!up || down + *up > radix || *up % low_cables != 0) {
          continue;
        }
        for (const std::uint64_t high_cables : divisors(*up)) {
          if (pods * high_cables <= radix) {
            const std::uint64_t tops = *up / high_cables;
            fewest.offer(pods * (leaves + middles) + middles * tops, {per_leaf, leaves, pods},
                         {1, middles, tops}, {1, low_cables, high_cables});
          }
        }
      }
    }
  }
}

std::string level_text(const FatTree& tree, const std::vector<std::uint64_t>& nodes,
                       std::size_t level) {
  const std::uint64_t down = std::uint64_t{tree.down[level]} * tree.cables[level];
  std::string text = fmt::format("Level {}: {} switch{}, each with {} cables down", level + 1,
                                 nodes[level + 1], nodes[level + 1] == 1 ? "" : "es", down);
  if (level + 1 == tree.down.size()) {
    return text + ".";
  }
  const std::uint64_t up = std::uint64_t{tree.up[level + 1]} * tree.cables[level + 1];
  text += fmt::format(" and {} up", up);
  return text + (down > up ? fmt::format(" ({:.3g} to 1).",
                                         static_cast<double>(down) / static_cast<double>(up))
                           : ".");
}

// Describes how to build the tree with the fewest switches, if it has parallel cables.
std::vector<std::string> wiring_text(const FatTree& tree, std::uint32_t radix) {
  std::vector<std::string> lines;
  const std::vector<std::uint64_t> nodes = nodes_per_level(tree);
  for (std::size_t level = 0; level < tree.cables.size(); ++level) {
    if (tree.cables[level] > 1) {
      lines.push_back(fmt::format(
          "Level {} needs only {} switches of {} ports, each with {} cables to a switch below.",
          level + 1, nodes[level + 1], radix, tree.cables[level]));
    }
  }
  if (!lines.empty()) {
    lines.emplace_back(
        "Here each of these cables has its own upper switch, because SimGrid chooses among "
        "parallel");
    lines.emplace_back(
        "cables on the way down by the source of a message, so that some stay idle.");
  }
  return lines;
}

}  // namespace

std::uint64_t hosts_of(const FatTree& tree) {
  std::uint64_t hosts = 1;
  for (const std::uint32_t children : tree.down) {
    hosts = capped_product(hosts, children, kMaxPlatformHosts);
  }
  return hosts;
}

FatTree fat_tree_for(std::uint64_t hosts, std::uint32_t radix, double thinness) {
  check_hosts(kFatTree, hosts);
  if (radix < 2 || radix > kMaxPlatformHosts) {
    throw UserError(
        fmt::format("fat_tree: radix is {}; it must be 2 to {}", radix, kMaxPlatformHosts));
  }
  if (!std::isfinite(thinness) || thinness < 1) {
    throw UserError(
        fmt::format("fat_tree: oversubscription is {}; it must be 1 (none) or more", thinness));
  }
  if (hosts <= radix && thinness == 1) {
    FatTree tree;
    tree.down = {static_cast<std::uint32_t>(hosts)};
    tree.up = {1};
    tree.cables = {1};
    return tree;
  }
  Fewest fewest;
  offer_two_levels(hosts, radix, thinness, fewest);
  if (!fewest.found()) {
    offer_three_levels(hosts, radix, thinness, fewest);
  }
  if (!fewest.found()) {
    throw UserError(fmt::format(
        "fat_tree: no tree of 3 levels connects {} hosts with switches of {} ports at {} to 1; "
        "give a number of hosts with small divisors, a larger radix, or down, up and cables",
        hosts, radix, thinness));
  }
  std::optional<FatTree> tree = with_single_cables(fewest.tree());
  TUTTI_INVARIANT(tree);
  tree->wiring = wiring_text(fewest.tree(), radix);
  return *std::move(tree);
}

std::optional<FatTree> with_single_cables(FatTree tree) {
  // Number of switches into which each switch one level below was split.
  std::uint32_t below = 1;
  for (std::size_t level = 0; level < tree.cables.size(); ++level) {
    const std::uint64_t up = std::uint64_t{tree.up[level]} * tree.cables[level];
    if (up % below != 0 || up / below > kMaxPlatformCables) {
      return std::nullopt;
    }
    tree.up[level] = static_cast<std::uint32_t>(up / below);
    below = std::exchange(tree.cables[level], 1U);
  }
  return tree;
}

std::string to_xml(const FatTree& tree) {
  check(tree);
  check_link(kFatTree, tree.link);
  const std::vector<std::uint64_t> nodes = nodes_per_level(tree);
  ClusterTag tag;
  tag.kind = kFatTree;
  tag.topology = "FAT_TREE";
  tag.topo_parameters = fmt::format("{};{};{};{}", tree.down.size(), fmt::join(tree.down, ","),
                                    fmt::join(tree.up, ","), fmt::join(tree.cables, ","));
  tag.hosts = nodes[0];
  tag.link = tree.link;
  tag.node = tree.node;
  tag.in_network = tree.in_network;
  tag.note = tree.note;
  tag.description = {fmt::format("Fat tree of {} hosts.", nodes[0])};
  for (std::size_t level = 0; level < tree.down.size(); ++level) {
    tag.description.push_back(level_text(tree, nodes, level));
  }
  tag.description.insert(tag.description.end(), tree.wiring.begin(), tree.wiring.end());
  tag.description.push_back(fmt::format("Each cable: {} and {} in each direction.",
                                        bandwidth_text(tree.link.bandwidth_bytes_per_s),
                                        latency_text(tree.link.latency_s)));
  tag.description.push_back(
      tree.down.size() == 1
          ? "Every message passes 2 cables."
          : fmt::format("A message passes 2 cables below one switch, {} over the top.",
                        longest_route_links(tree)));
  return cluster_xml(tag);
}

}}  // namespace tutti::platforms
