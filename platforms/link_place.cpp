#include "platforms/link_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <optional>
#include <string_view>

#include "base/printable.hpp"

namespace tutti { inline namespace platforms {

namespace {

using Hosts = std::vector<std::uint32_t>;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

constexpr std::size_t kMostRuns = 4;

Hosts without(std::span<const std::uint32_t> all, const Hosts& some) {
  Hosts rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(rest));
  return rest;
}

void sort_once(Hosts& hosts) {
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
}

// If the hosts fall into two sides such that `pairs` are all pairs from one side to the other, in
// both directions, returns the side of the first host. Otherwise returns nothing.
std::optional<Hosts> one_side(const Pairs& pairs, std::span<const std::uint32_t> hosts) {
  Hosts other;  // hosts to which the first host sends
  for (const auto& [from, to] : pairs) {
    if (from == hosts.front()) {
      other.push_back(to);
    }
  }
  sort_once(other);
  Hosts side = without(hosts, other);
  const auto here = [&side](std::uint32_t host) {
    return std::binary_search(side.begin(), side.end(), host);
  };
  const bool split = std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return here(pair.first) != here(pair.second);
  });
  return split && pairs.size() == 2 * side.size() * other.size() ? std::optional(std::move(side))
                                                                 : std::nullopt;
}

}  // namespace

std::string hosts_in_words(std::span<const std::uint32_t> hosts) {
  std::string text = hosts.size() == 1 ? "host " : "hosts ";
  std::size_t runs = 0;
  for (std::size_t i = 0; i < hosts.size(); ++runs) {
    if (runs == kMostRuns) {
      return text + fmt::format(" and {} more", hosts.size() - i);
    }
    std::size_t last = i;
    while (last + 1 < hosts.size() && hosts[last + 1] == hosts[last] + 1) {
      ++last;
    }
    text += i == 0 ? "" : ", ";
    text += last == i ? fmt::format("{}", hosts[i]) : fmt::format("{}-{}", hosts[i], hosts[last]);
    i = last + 1;
  }
  return text;
}

std::string hosts_in_words(std::uint32_t first, std::uint32_t count) {
  return count == 1 ? fmt::format("host {}", first)
                    : fmt::format("hosts {}-{}", first, first + count - 1);
}

LinkPlace place_by_use(Pairs pairs, std::span<const std::uint32_t> hosts) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  if (pairs.empty()) {
    return {"on no route between hosts in use", kInnerLinks};
  }
  const auto own = [](const auto& pair) { return pair.first == pair.second; };
  const bool all_own = std::all_of(pairs.begin(), pairs.end(), own);
  // Ignores pairs of a host with itself: without a loopback, the route from a host to itself leads
  // over the host's other links.
  if (!all_own) {
    std::erase_if(pairs, own);
  }
  Hosts sources;
  Hosts targets;
  for (const auto& [from, to] : pairs) {
    sources.push_back(from);
    targets.push_back(to);
  }
  sort_once(sources);
  sort_once(targets);
  if (all_own) {
    return {"loopback of " + hosts_in_words(sources), kLoopbacks};
  }
  if (sources.size() == hosts.size() && targets.size() == hosts.size()) {
    if (auto side = one_side(pairs, hosts)) {
      const Hosts other = without(hosts, *side);
      const Hosts& smaller = other.size() < side->size() ? other : *side;
      const char* const group = smaller.size() == 1 ? kHostLinks : kInnerLinks;
      return {fmt::format("between {} and the other{}", hosts_in_words(smaller),
                          hosts.size() - smaller.size() == 1 ? "" : "s"),
              group};
    }
  }
  const auto named = [&](const Hosts& some, const Hosts& others) {
    return some.size() == hosts.size() ? std::string("all hosts")
           : some == without(hosts, others) && 2 * some.size() > hosts.size()
               ? std::string("the others")
               : hosts_in_words(some);
  };
  const bool one_host = sources.size() == 1 || targets.size() == 1;
  return {fmt::format("from {} to {}", named(sources, targets), named(targets, sources)),
          one_host ? kHostLinks : kInnerLinks};
}

LinkPlace place_by_name(const std::string& name, Pairs pairs,
                        std::span<const std::uint32_t> hosts) {
  struct MadeLink {
    std::string_view part;
    const char* group;
  };
  // Parts of the names that SimGrid gives to links of a <cluster>.
  static constexpr std::array kMade{
      MadeLink{"_limiter", kLimiters},
      MadeLink{"_backbone", kBackbones},
      MadeLink{"blue_link_between_group_", kGlobalLinks},
      MadeLink{"black_link_in_group_", kBlackLinks},
      MadeLink{"green_link_in_chassis_", kGreenLinks},
  };
  const auto* const made = std::ranges::find_if(kMade, [&](const MadeLink& each) {
    return each.part.starts_with('_') ? name.ends_with(each.part) : name.starts_with(each.part);
  });
  LinkPlace place{printable(name), kLinks};
  if (hosts.size() <= kMostHostsOfPlaces) {
    const LinkPlace use = place_by_use(std::move(pairs), hosts);
    place.name += " " + use.name;
    place.group = use.group;
  }
  if (made != kMade.end()) {
    place.group = made->group;
  }
  return place;
}

}}  // namespace tutti::platforms
