#include "platforms/grouped_routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace platforms {

namespace {

// `numbers` consists of runs of equal numbers, which count up from 0. Returns the length of the
// runs, or 0 if they have different lengths.
std::uint32_t equal_runs(const std::vector<std::uint32_t>& numbers) {
  const auto runs = std::size_t{numbers.back()} + 1;
  if (numbers.size() % runs != 0) {
    return 0;
  }
  const std::size_t each = numbers.size() / runs;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != i / each) {
      return 0;
    }
  }
  return static_cast<std::uint32_t>(each);
}

std::string hosts_between(std::vector<std::uint32_t>::const_iterator begin,
                          std::vector<std::uint32_t>::const_iterator first,
                          std::vector<std::uint32_t>::const_iterator last) {
  return hosts_in_words(static_cast<std::uint32_t>(first - begin),
                        static_cast<std::uint32_t>(last - first));
}

}  // namespace

GroupedRoutes::GroupedRoutes(GroupedShape shape) : shape_(std::move(shape)) {
  TUTTI_INVARIANT(!shape_.leaf_of_host.empty() &&
                  shape_.leaf_of_host.back() + 1 == shape_.group_of_leaf.size());
  const auto hosts = static_cast<std::uint32_t>(shape_.leaf_of_host.size());
  const auto leaves = static_cast<std::uint32_t>(shape_.group_of_leaf.size());
  groups_ = shape_.group_of_leaf.back() + 1;
  cables_ = {.hosts = hosts, .ways = 2, .loopback = !shape_.loopbacks.empty()};
  hosts_per_leaf_ = equal_runs(shape_.leaf_of_host);
  std::vector<std::uint32_t> groups;
  groups.reserve(hosts);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    groups.push_back(group_of_host(host));
  }
  hosts_per_group_ = equal_runs(groups);
  first_trunk_ = hosts;
  first_pair_ = first_trunk_ + leaves;
  first_out_ = first_pair_ + (shape_.pairs ? groups_ * (groups_ - 1) / 2 : 0);
  all_cables_ = first_out_ + (shape_.outs ? groups_ : 0);
}

ClusterLinkKind GroupedRoutes::kind(std::uint32_t link) const {
  if (link >= first_loopback()) {
    return ClusterLinkKind::loopback;
  }
  const std::uint32_t cable = link / cables_.ways;
  return cable < first_trunk_  ? ClusterLinkKind::cable
         : cable < first_pair_ ? ClusterLinkKind::router
         : cable < first_out_  ? ClusterLinkKind::group
                               : ClusterLinkKind::chassis;
}

std::string GroupedRoutes::link_name(std::uint32_t link, const ClusterNames&) const {
  if (link >= first_loopback()) {
    return shape_.loopbacks[link - first_loopback()];
  }
  const std::uint32_t cable = link / cables_.ways;
  const std::string& name = cable < first_trunk_  ? shape_.host_cables[cable]
                            : cable < first_pair_ ? shape_.trunks[cable - first_trunk_]
                            : cable < first_out_  ? shape_.pair_cables[cable - first_pair_]
                                                  : shape_.out_cables[cable - first_out_];
  return name + (link % 2 == 0 ? "_UP" : "_DOWN");
}

std::string GroupedRoutes::hosts_of_leaf(std::uint32_t leaf) const {
  const auto& leaves = shape_.leaf_of_host;
  const auto [first, last] = std::equal_range(leaves.begin(), leaves.end(), leaf);
  return hosts_between(leaves.begin(), first, last);
}

std::string GroupedRoutes::hosts_of_group(std::uint32_t group) const {
  const auto [first_leaf, last_leaf] =
      std::equal_range(shape_.group_of_leaf.begin(), shape_.group_of_leaf.end(), group);
  const auto leaf = [this](auto at) {
    return static_cast<std::uint32_t>(at - shape_.group_of_leaf.begin());
  };
  const auto& leaves = shape_.leaf_of_host;
  return hosts_between(leaves.begin(),
                       std::lower_bound(leaves.begin(), leaves.end(), leaf(first_leaf)),
                       std::lower_bound(leaves.begin(), leaves.end(), leaf(last_leaf)));
}

LinkPlace GroupedRoutes::link_place(std::uint32_t link) const {
  if (link >= first_loopback()) {
    return {fmt::format("loopback of host {}", link - first_loopback()), kLoopbacks};
  }
  const std::uint32_t cable = link / cables_.ways;
  const bool up = link % 2 == 0;
  switch (kind(link)) {
    case ClusterLinkKind::cable:
      return {fmt::format("host {} {}", cable, up ? "up" : "down"), kHostLinks};
    case ClusterLinkKind::router: {
      const std::uint32_t leaf = cable - first_trunk_;
      const char* const direction = up ? "up-link" : "down-link";
      return {fmt::format("{} of leaf switch {} ({})", direction, leaf, hosts_of_leaf(leaf)),
              fmt::format("leaf {}s", direction)};
    }
    case ClusterLinkKind::chassis: {
      const std::uint32_t group = cable - first_out_;
      return {fmt::format("{} group {} ({})", up ? "out of" : "into", group, hosts_of_group(group)),
              up ? "links out of groups" : "links into groups"};
    }
    default: {
      std::uint32_t rest = cable - first_pair_;
      std::uint32_t first = 0;
      while (rest >= groups_ - first - 1) {
        rest -= groups_ - first - 1;
        ++first;
      }
      const std::uint32_t second = first + 1 + rest;
      return {
          fmt::format("global link group {} -> group {}", up ? first : second, up ? second : first),
          "global links"};
    }
  }
}

std::vector<std::uint32_t> GroupedRoutes::links_of(std::uint32_t host) const {
  std::vector<std::uint32_t> links{cables_.up(host), cables_.down(host)};
  if (cables_.loopback) {
    links.push_back(first_loopback() + host);
  }
  return links;
}

}}  // namespace tutti::platforms
