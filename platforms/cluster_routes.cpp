#include "platforms/cluster_routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tutti { inline namespace platforms {

namespace {

// Returns SimGrid's name of a link: the cable's name, with the direction if the cable has two
// links.
std::string with_direction(std::string cable, std::uint32_t link, std::uint32_t ways) {
  if (ways == 1) {
    return cable;
  }
  return std::move(cable) + (link % 2 == 0 ? "_UP" : "_DOWN");
}

}  // namespace

std::string ClusterNames::host(std::uint32_t index) const {
  if (gpus_of_node > 0) {
    return fmt::format("node-{}-gpu-{}", index / gpus_of_node, index % gpus_of_node);
  }
  return of_hosts.empty() ? fmt::format("{}{}{}", prefix, radicals[index], suffix)
                          : of_hosts[index];
}

std::string ClusterNames::own_link(std::uint32_t host) const {
  return fmt::format("{}_link_{}", id, radicals[host]);
}

ClusterLinkKind StarRoutes::kind(std::uint32_t link) const {
  if (link < cables_.hosts * cables_.ways) {
    return ClusterLinkKind::cable;
  }
  return link < first_loopback() ? ClusterLinkKind::backbone : ClusterLinkKind::loopback;
}

std::string StarRoutes::link_name(std::uint32_t link, const ClusterNames& names) const {
  if (names.as_crossbar) {
    return fmt::format("{} {}", names.host(link / 2), link % 2 == 0 ? "up" : "down");
  }
  switch (kind(link)) {
    case ClusterLinkKind::cable:
      return with_direction(names.own_link(link / cables_.ways), link, cables_.ways);
    case ClusterLinkKind::backbone:
      return names.id + "_backbone";
    default:
      return names.own_link(link - first_loopback()) + "_loopback";
  }
}

TorusRoutes::TorusRoutes(const ClusterCables& cables, std::vector<std::uint32_t> sides)
    : cables_(cables),
      sides_(std::move(sides)),
      dimensions_(static_cast<std::uint32_t>(sides_.size())) {
  places_.reserve(std::size_t{cables_.hosts} * dimensions_);
  for (std::uint32_t host = 0; host < cables_.hosts; ++host) {
    std::uint32_t rest = host;
    for (const std::uint32_t side : sides_) {
      places_.push_back(rest % side);
      rest /= side;
    }
  }
  for (const std::uint32_t side : sides_) {
    longest_ += side / 2;
  }
}

ClusterLinkKind TorusRoutes::kind(std::uint32_t link) const {
  return link < first_loopback() ? ClusterLinkKind::cable : ClusterLinkKind::loopback;
}

std::string TorusRoutes::link_name(std::uint32_t link, const ClusterNames& names) const {
  if (link >= first_loopback()) {
    return names.own_link(link - first_loopback()) + "_loopback";
  }
  const auto [host, next, dim] = cable_ends(link / cables_.ways);
  return with_direction(fmt::format("{}_link_from_{}_to_{}", names.id, host, next), link,
                        cables_.ways);
}

TorusRoutes::CableEnds TorusRoutes::cable_ends(std::uint32_t cable) const {
  const std::uint32_t host = cable / dimensions_;
  const std::uint32_t dim = cable % dimensions_;
  std::uint32_t stride = 1;
  for (std::uint32_t i = 0; i < dim; ++i) {
    stride *= sides_[i];
  }
  const std::uint32_t place = places_[std::size_t{host} * dimensions_ + dim];
  return {host, place + 1 == sides_[dim] ? host - place * stride : host + stride, dim};
}

FatTreeRoutes::FatTreeRoutes(const ClusterCables& cables, std::vector<std::uint32_t> down,
                             std::vector<std::uint32_t> up, std::vector<std::uint32_t> parallel)
    : cables_(cables),
      down_(std::move(down)),
      up_(std::move(up)),
      parallel_(std::move(parallel)),
      levels_(static_cast<std::uint32_t>(down_.size())) {
  std::uint32_t nodes = cables_.hosts;
  std::uint32_t parents = 1;
  std::int64_t first_id = 2 * std::int64_t{cables_.hosts} - 1;
  for (std::uint32_t level = 0; level < levels_; ++level) {
    const std::uint32_t switches = nodes / down_[level] * up_[level];
    level_.push_back({all_cables_, first_id, parents});
    any_parallel_ |= parallel_[level] > 1;
    all_cables_ += nodes * up_[level] * parallel_[level];
    nodes = switches;
    parents *= up_[level];
    first_id -= switches;
  }
  of_host_.reserve(std::size_t{cables_.hosts} * levels_);
  for (std::uint32_t host = 0; host < cables_.hosts; ++host) {
    std::uint32_t rest = host;  // number formed by the digits from this level upwards
    std::uint32_t low = 0;      // number formed by the digits of the parents below this level
    for (std::uint32_t level = 0; level < levels_; ++level) {
      const Level& own = level_[level];
      const std::uint32_t ports = parallel_[level];
      const std::uint32_t choice = host / own.parents % (up_[level] * ports);
      const std::uint32_t parent = choice % up_[level];
      const std::uint32_t per_node = up_[level] * ports;
      AtLevel at{};
      at.part = rest / down_[level];
      at.digit = rest % down_[level];
      at.port = host % ports;
      at.cable_up_from = own.parents * rest * per_node;
      at.cable_up_to = own.first_cable + low * per_node + parent * ports + choice / up_[level];
      at.cable_down_to = own.first_cable + (low + own.parents * rest) * per_node + parent * ports;
      of_host_.push_back(at);
      low += own.parents * parent;
      rest = at.part;
    }
  }
}

std::uint32_t FatTreeRoutes::alike_sources(std::uint32_t host) const {
  std::uint64_t period = up_[0] == 1 && parallel_[0] == 1 ? 1 : down_[0];
  for (const std::uint32_t ports : parallel_) {
    period = std::min(std::lcm(period, std::uint64_t{ports}), std::uint64_t{down_[0]});
  }
  const std::uint32_t first = host / down_[0] * down_[0];
  return first + static_cast<std::uint32_t>((host - first) % period);
}

ClusterLinkKind FatTreeRoutes::kind(std::uint32_t link) const {
  return link < first_loopback() ? ClusterLinkKind::cable : ClusterLinkKind::loopback;
}

std::uint32_t FatTreeRoutes::vertex(Vertex place) const {
  std::uint32_t number = 0;
  std::uint32_t parts = cables_.hosts;
  for (std::uint32_t level = 0; level < place.level; ++level) {
    number += parts;
    parts /= down_[level];
  }
  return number + place.part;
}

FatTreeRoutes::Vertex FatTreeRoutes::place_of(std::uint32_t vertex) const {
  std::uint32_t level = 0;
  for (std::uint32_t parts = cables_.hosts; vertex >= parts; ++level) {
    vertex -= parts;
    parts /= down_[level];
  }
  return {level, vertex};
}

std::uint32_t FatTreeRoutes::switch_above(std::uint32_t one, std::uint32_t other) const {
  Vertex a = place_of(one);
  Vertex b = place_of(other);
  while (a.level < std::max(1U, b.level)) {
    a = above(a);
  }
  while (b.level < a.level) {
    b = above(b);
  }
  while (a.part != b.part) {
    a = above(a);
    b = above(b);
  }
  return vertex(a);
}

std::optional<std::uint32_t> FatTreeRoutes::next_above(std::uint32_t of) const {
  const Vertex place = place_of(of);
  return place.level == levels_ ? std::nullopt : std::optional(vertex(above(place)));
}

std::string FatTreeRoutes::switch_name(std::uint32_t of) const {
  const Vertex place = place_of(of);
  std::uint32_t hosts = 1;
  for (std::uint32_t level = 0; level < place.level; ++level) {
    hosts *= down_[level];
  }
  return "the switch of " + hosts_in_words(place.part * hosts, hosts);
}

std::int64_t FatTreeRoutes::node_id(std::uint32_t level, std::uint32_t node) const {
  return level == 0 ? std::int64_t{node} : level_[level - 1].first_id - std::int64_t{node};
}

FatTreeRoutes::CableEnds FatTreeRoutes::cable_ends(std::uint32_t cable) const {
  std::uint32_t level = levels_ - 1;
  while (cable < level_[level].first_cable) {
    --level;
  }
  const std::uint32_t of_level = cable - level_[level].first_cable;
  const std::uint32_t cables = up_[level] * parallel_[level];
  return {level, of_level / cables, of_level % cables};
}

std::string FatTreeRoutes::link_name(std::uint32_t link, const ClusterNames& names) const {
  if (link >= first_loopback()) {
    return names.own_link(link - first_loopback()) + "_loopback";
  }
  const std::uint32_t cable = link / cables_.ways;
  const auto [level, node, port] = cable_ends(cable);
  const Level& own = level_[level];
  const std::uint32_t parent = port / parallel_[level];
  const std::uint32_t low = node % own.parents;
  const std::uint32_t part = node / own.parents / down_[level];
  const std::uint32_t above = low + own.parents * (parent + up_[level] * part);
  return with_direction(
      fmt::format("link_from_{}_{}_{}", node_id(level, node), node_id(level + 1, above), cable),
      link, cables_.ways);
}

DragonflyRoutes::DragonflyRoutes(const ClusterCables& cables, const DragonflyNumbers& numbers)
    : cables_(cables),
      numbers_(numbers),
      router_pairs_(pairs(numbers.routers)),
      chassis_pairs_(pairs(numbers.chassis)),
      first_router_cable_(cables.hosts),
      first_chassis_cable_(first_router_cable_ + numbers.groups * numbers.chassis * router_pairs_),
      first_group_cable_(first_chassis_cable_ + numbers.groups * chassis_pairs_ * numbers.routers),
      all_cables_(first_group_cable_ + pairs(numbers.groups)) {
  places_.reserve(cables_.hosts);
  for (std::uint32_t group = 0; group < numbers_.groups; ++group) {
    for (std::uint32_t chassis = 0; chassis < numbers_.chassis; ++chassis) {
      for (std::uint32_t router = 0; router < numbers_.routers; ++router) {
        places_.insert(places_.end(), numbers_.nodes, {group, chassis, router});
      }
    }
  }
}

ClusterLinkKind DragonflyRoutes::kind(std::uint32_t link) const {
  const std::uint32_t cable = link / cables_.ways;
  if (link >= first_loopback()) {
    return ClusterLinkKind::loopback;
  }
  if (cable >= first_group_cable_) {
    return ClusterLinkKind::group;
  }
  if (cable >= first_chassis_cable_) {
    return ClusterLinkKind::chassis;
  }
  return cable >= first_router_cable_ ? ClusterLinkKind::router : ClusterLinkKind::cable;
}

std::pair<std::uint32_t, std::uint32_t> DragonflyRoutes::nth_pair(std::uint32_t number,
                                                                  std::uint32_t count) {
  std::uint32_t first = 0;
  while (number >= count - first - 1) {
    number -= count - first - 1;
    ++first;
  }
  return {first, first + 1 + number};
}

std::string DragonflyRoutes::link_name(std::uint32_t link, const ClusterNames& names) const {
  const std::uint32_t cable = link / cables_.ways;
  std::string name;
  switch (kind(link)) {
    case ClusterLinkKind::loopback:
      return names.own_link(link - first_loopback()) + "_loopback";
    case ClusterLinkKind::group: {
      const auto [first, second] = nth_pair(cable - first_group_cable_, numbers_.groups);
      const std::uint32_t in_group = numbers_.chassis * numbers_.routers;
      name = fmt::format("blue_link_between_group_{}_and_{}_routers_{}_and_{}_{}", first, second,
                         first * in_group + second, second * in_group + first, cable);
      break;
    }
    case ClusterLinkKind::chassis: {
      const std::uint32_t number = cable - first_chassis_cable_;
      const std::uint32_t per_group = chassis_pairs_ * numbers_.routers;
      const auto [first, second] =
          nth_pair(number % per_group / numbers_.routers, numbers_.chassis);
      name = fmt::format("black_link_in_group_{}_between_chassis_{}_and_{}_blade_{}_{}",
                         number / per_group, first, second, number % numbers_.routers, cable);
      break;
    }
    case ClusterLinkKind::router: {
      const std::uint32_t number = cable - first_router_cable_;
      const auto [first, second] = nth_pair(number % router_pairs_, numbers_.routers);
      name = fmt::format("green_link_in_chassis_{}_between_routers_{}_and_{}_{}",
                         number / router_pairs_ % numbers_.chassis, first, second, cable);
      break;
    }
    default:
      name = fmt::format("local_link_from_router_{}_to_node_{}_{}", cable / numbers_.nodes,
                         cable % numbers_.nodes, cable);
  }
  return with_direction(std::move(name), link, cables_.ways);
}

}}  // namespace tutti::platforms
