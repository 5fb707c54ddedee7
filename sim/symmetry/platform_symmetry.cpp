#include "sim/symmetry/platform_symmetry.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/error.hpp"

namespace tutti { inline namespace sim {

namespace {

// Limit on the number of checks of each pair of ranks, over all moves that are tried. If little
// bandwidth is shared, simulating a message takes as long as about ten checks. kFreeLooks checks
// are always allowed.
constexpr std::uint64_t kLooks = 4;
constexpr std::uint64_t kFreeLooks = std::uint64_t{1} << 18U;

bool same(const RouteFigures& a, const RouteFigures& b) {
  return &a == &b || (a.latency_s == b.latency_s && a.weight == b.weight &&
                      a.cap_bytes_per_s == b.cap_bytes_per_s &&
                      a.alone_bytes_per_s == b.alone_bytes_per_s && a.efficiency == b.efficiency);
}

bool same(const NetworkLink& a, const NetworkLink& b) {
  return a.capacity_bytes_per_s == b.capacity_bytes_per_s && a.fatpipe == b.fatpipe;
}

class Search {
 public:
  Search(Network& network, std::span<const std::uint32_t> host_of_rank, std::uint32_t ranks,
         Symmetry symmetry, std::span<const std::vector<Rank>> distances,
         std::span<const std::uint32_t> switch_of_rank)
      : network_(network),
        host_of_rank_(host_of_rank),
        switch_of_rank_(switch_of_rank),
        ranks_(ranks),
        symmetry_(symmetry),
        distances_(distances) {
    for (const std::vector<Rank>& of_class : distances) {
      pairs_ += std::uint64_t{ranks} / distances.size() * of_class.size();
    }
    std::vector<std::uint32_t> on_host(network.hosts(), 0);
    for (Rank rank = 0; rank < ranks; ++rank) {
      const std::uint32_t host = host_of_rank[rank];
      crowded_ = crowded_ || ++on_host[host] > network.host(host).cores;
    }
    hosts_.grow(network.hosts());
  }

  // Tries a move. If the move is accepted, joins the classes of all links and hosts that it maps
  // onto each other, and returns true.
  [[nodiscard]] bool accept(Rank amount) {
    if (!holds(amount)) {
      return false;
    }
    join(link_images_, links_);
    join(host_images_, hosts_);
    moves_.push_back(amount);
    return true;
  }
  [[nodiscard]] bool tired() const { return looks_ > kLooks * pairs_ + kFreeLooks; }
  [[nodiscard]] std::span<const Rank> moves() const { return moves_; }

  [[nodiscard]] std::optional<PlatformClasses> classes() {
    if (moves_.empty()) {
      return std::nullopt;
    }
    PlatformClasses found{RankClasses::moved(symmetry_, ranks_, moves_), {}, {}};
    // If ranks share the cores of their hosts, each class of hosts must have as many members as a
    // class of ranks.
    if (crowded_) {
      for (Rank rank = 0; rank < ranks_; ++rank) {
        if (hosts_.size(host_of_rank_[rank]) != found.ranks.size()) {
          return std::nullopt;
        }
      }
    }
    links_.grow(network_.links().size());
    found.links = std::move(links_);
    found.hosts = std::move(hosts_);
    return found;
  }

 private:
  [[nodiscard]] Rank moved(Rank rank, Rank amount) const {
    return move_by(symmetry_, rank, amount, ranks_);
  }

  [[nodiscard]] bool holds(Rank amount) {
    link_images_.clear();
    host_images_.clear();
    host_images_.make_room(network_.hosts());
    // The rank at which the last move failed is a good place to begin.
    if (!holds_at(last_, amount) || !holds_from(last_, amount)) {
      return false;
    }
    for (Rank rank = 0; rank < ranks_; ++rank) {
      if (!holds_at(rank, amount)) {
        last_ = rank;
        return false;
      }
    }
    // The network often knows that the map turns all routes into routes. If it does not, the routes
    // of the messages are compared one by one.
    known_.clear();
    if (switch_of_rank_.empty() && network_.map_links(host_images_, known_)) {
      std::swap(known_, link_images_);
      return true;
    }
    for (Rank rank = 0; rank < ranks_; ++rank) {
      if (!holds_from(rank, amount)) {
        last_ = rank;
        return false;
      }
    }
    return true;
  }

  // Checks the host of one rank, and its way to its switch.
  [[nodiscard]] bool holds_at(Rank rank, Rank amount) {
    const Rank image = moved(rank, amount);
    const std::uint32_t host = host_of_rank_[rank];
    const std::uint32_t host_image = host_of_rank_[image];
    if (!host_images_.set(host, host_image) || network_.host(host) != network_.host(host_image)) {
      return false;
    }
    if (!switch_of_rank_.empty()) {
      const std::uint32_t above = switch_of_rank_[rank];
      const std::uint32_t above_image = switch_of_rank_[image];
      if (!host_images_.set(above, above_image) ||
          !same_way(host, above, host_image, above_image) ||
          !same_way(above, host, above_image, host_image)) {
        return false;
      }
    }
    return true;
  }

  // Checks the messages of one rank.
  [[nodiscard]] bool holds_from(Rank rank, Rank amount) {
    const Rank image = moved(rank, amount);
    const std::uint32_t host = host_of_rank_[rank];
    const std::uint32_t host_image = host_of_rank_[image];
    return std::ranges::all_of(distances_[rank % distances_.size()], [&](Rank distance) {
      ++looks_;
      return same_way(host, host_of_rank_[moved(rank, distance)], host_image,
                      host_of_rank_[moved(image, distance)]);
    });
  }

  [[nodiscard]] bool same_way(std::uint32_t from, std::uint32_t to, std::uint32_t from_image,
                              std::uint32_t to_image) {
    const NetworkRoute route = network_.route(from, to);
    hops_.assign(route.hops.begin(), route.hops.end());
    const NetworkRoute image = network_.route(from_image, to_image);
    if (!same(*route.figures, *image.figures) || hops_.size() != image.hops.size()) {
      return false;
    }
    const std::vector<NetworkLink>& links = network_.links();
    std::uint32_t crossings = 0;  // in the worst case, all are crossings of one class of links
    for (std::size_t i = 0; i < hops_.size(); ++i) {
      const Hop a = hops_[i];
      const Hop b = image.hops[i];
      crossings += std::max(a.forward(), a.backward());
      if (a.forward() != b.forward() || a.backward() != b.backward() ||
          crossings > Hop::kMostCrossings || !same(links[a.link()], links[b.link()]) ||
          !link_images_.set(a.link(), b.link())) {
        return false;
      }
    }
    return true;
  }

  // Every image must have an image, too.
  static void join(const Images& map, Orbits& orbits) {
    const std::span<const std::uint32_t> images = map.all();
    orbits.grow(images.size());
    for (std::uint32_t from = 0; from < images.size(); ++from) {
      const std::uint32_t image = images[from];
      // Each exchange is its own inverse, so half of its images join all.
      if (image != Images::kNone && (image > from || images[image] != from)) {
        orbits.join(from, image);
      }
    }
  }

  Network& network_;
  std::span<const std::uint32_t> host_of_rank_;
  std::span<const std::uint32_t> switch_of_rank_;
  std::uint32_t ranks_;
  Symmetry symmetry_;
  std::span<const std::vector<Rank>> distances_;  // by class of the schedule
  std::uint64_t pairs_ = 0;                       // pairs of ranks that exchange messages
  bool crowded_ = false;                          // true if any host has more ranks than cores
  std::uint64_t looks_ = 0;
  Rank last_ = 0;
  Images link_images_;  // images under the move that is being tried
  Images host_images_;
  Images known_;
  std::vector<Hop> hops_;
  std::vector<Rank> moves_;  // accepted moves
  Orbits links_;
  Orbits hosts_;
};

// Tries rotations by multiples of `least`. The smallest accepted rotation generates all others.
void try_turns(Search& search, std::uint32_t p, std::uint32_t least) {
  for (std::uint32_t distance = least; distance < p && !search.tired(); distance += least) {
    if (p % distance == 0 && search.accept(distance)) {
      return;
    }
  }
}

// Tries moves that exchange ranks which differ in one or two bits. Such moves exchange the halves
// of a tree, or the groups of a dragonfly together with the routers that lead to them.
void try_exchanges(Search& search, std::uint32_t p) {
  std::vector<Rank> masks;
  for (Rank bit = 1; bit < p; bit *= 2) {
    masks.push_back(bit);
  }
  for (Rank high = 1; high < p; high *= 2) {
    for (Rank low = 1; low < high; low *= 2) {
      masks.push_back(high | low);
    }
  }
  for (const Rank mask : masks) {
    std::vector<Rank> with(search.moves().begin(), search.moves().end());
    with.push_back(mask);
    if (independent_masks(with).size() == with.size()) {  // the mask makes classes larger
      if (search.tired()) {
        return;
      }
      static_cast<void>(search.accept(mask));
    }
  }
}

}  // namespace

void Orbits::grow(std::size_t count) {
  const std::size_t before = parent_.size();
  if (count > before) {
    parent_.resize(count);
    std::iota(parent_.begin() + static_cast<std::ptrdiff_t>(before), parent_.end(),
              static_cast<std::uint32_t>(before));
    size_.resize(count, 1);
  }
}

std::uint32_t Orbits::of(std::uint32_t index) {
  while (parent_[index] != index) {
    parent_[index] = parent_[parent_[index]];
    index = parent_[index];
  }
  return index;
}

void Orbits::join(std::uint32_t a, std::uint32_t b) {
  a = of(a);
  b = of(b);
  if (a == b) {
    return;
  }
  if (size_[a] < size_[b]) {
    std::swap(a, b);
  }
  parent_[b] = a;
  size_[a] += size_[b];
}

// The map considered here keeps the first rank of each class, and moves each other rank to the next
// one of its class; the last one moves to the second one. If it turns routes into routes, and links
// into links of the same class, a first rank's messages to all others cross the same classes.
bool others_alike(const Network& network, std::span<const std::uint32_t> host_of_rank,
                  PlatformClasses& classes) {
  const std::uint32_t count = classes.ranks.count();
  const std::uint32_t p = classes.ranks.ranks();
  if (classes.ranks.symmetry() != Symmetry::rotation || classes.ranks.size() < 3) {
    return false;
  }
  Images hosts;
  for (Rank rank = 0; rank < p; ++rank) {
    const Rank image = rank < count       ? rank
                       : rank < p - count ? rank + count
                                          : rank - (p - 2 * count);
    if (!hosts.set(host_of_rank[rank], host_of_rank[image])) {
      return false;
    }
  }
  Images links;
  if (!network.map_links(hosts, links)) {
    return false;
  }
  const std::span<const std::uint32_t> images = links.all();
  classes.links.grow(images.size());
  for (std::uint32_t link = 0; link < images.size(); ++link) {
    if (images[link] != Images::kNone && classes.links.of(link) != classes.links.of(images[link])) {
      return false;
    }
  }
  return true;
}

std::optional<PlatformClasses> platform_classes(Network& network,
                                                std::span<const std::uint32_t> host_of_rank,
                                                std::uint32_t ranks, Symmetry symmetry,
                                                std::span<const std::vector<Rank>> distances,
                                                std::span<const std::uint32_t> switch_of_rank) {
  Search search(network, host_of_rank, ranks, symmetry, distances, switch_of_rank);
  if (symmetry == Symmetry::rotation) {
    try_turns(search, ranks, static_cast<std::uint32_t>(distances.size()));
  } else {
    try_exchanges(search, ranks);
  }
  return search.classes();
}

}}  // namespace tutti::sim
