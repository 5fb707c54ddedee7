#include "platforms/rank_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/printable.hpp"

namespace tutti { inline namespace platforms {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kAllPairsUpToHosts = 64;

void check_price(const char* option, const std::optional<double>& price) {
  if (price && !(std::isfinite(*price) && *price >= 0)) {
    throw UserError(fmt::format("{} {}: must be finite and not negative", option, *price));
  }
}

using Hosts = std::vector<std::uint32_t>;

// If any host has more ranks than cores, adds a note about the host where the difference is
// largest.
void describe_shared_cores(const PlatformView& platform, const Hosts& host_of_rank,
                           PlatformFacts& facts) {
  std::map<std::uint32_t, std::uint32_t> ranks_of_host;
  for (const std::uint32_t host : host_of_rank) {
    ++ranks_of_host[host];
  }
  std::uint32_t ranks = 0;
  std::uint32_t cores = 0;
  for (const auto& [host, count] : ranks_of_host) {
    const std::uint32_t own = platform.cores(host);
    if (count > own && count - own > ranks - cores) {
      ranks = count;
      cores = own;
    }
  }
  if (ranks > 0) {
    facts.notes.push_back(fmt::format(
        "{} ranks on a host share {}, so their reductions slow each other down", ranks,
        cores == 1 ? std::string("its only core") : fmt::format("its {} cores", cores)));
  }
}

void describe_shared_hosts(const PlatformView& platform, const Hosts& used, PlatformFacts& facts) {
  for (const std::uint32_t host : used) {
    (void)platform.route(host, host);
  }
  const PlatformView::LoopbackRoute own = platform.own_route(used.front());
  const auto named = [&own](std::string_view part) {
    return std::any_of(own.links.begin(), own.links.end(), [&](const std::string& link) {
      return link.find(part) != std::string::npos;
    });
  };
  if (named("__loopback__")) {
    facts.notes.push_back(
        fmt::format("two ranks on one host talk through SimGrid's own loopback of {:g} GB/s and "
                    "{:g} us, since the platform has none",
                    own.first_bandwidth_bytes_per_s / 1e9, own.latency_s * 1e6));
  } else if (!named("loopback")) {
    facts.notes.emplace_back(
        "two ranks on one host talk through the host's network link and back, since the platform "
        "has no loopback");
  }
}

void describe_routes(const PlatformView& platform, const Hosts& hosts, std::uint32_t ranks,
                     PlatformFacts& facts) {
  const std::size_t used = hosts.size();
  facts.routes_looked_at = 0;
  facts.fastest_latency_s = facts.bandwidth_bytes_per_s = kInfinity;
  facts.latency_s = facts.widest_bandwidth_bytes_per_s = 0;
  const auto look = [&](std::uint32_t from, std::uint32_t to) {
    const PlatformView::Route found = platform.route(from, to);
    ++facts.routes_looked_at;
    facts.latency_s = std::max(facts.latency_s, found.latency_s);
    facts.fastest_latency_s = std::min(facts.fastest_latency_s, found.latency_s);
    facts.bandwidth_bytes_per_s =
        std::min(facts.bandwidth_bytes_per_s, found.bandwidth_bytes_per_s);
    facts.widest_bandwidth_bytes_per_s =
        std::max(facts.widest_bandwidth_bytes_per_s, found.bandwidth_bytes_per_s);
  };
  if (used <= kAllPairsUpToHosts) {
    for (const std::uint32_t from : hosts) {
      for (const std::uint32_t to : hosts) {
        if (from != to) {
          look(from, to);
        }
      }
    }
  } else {
    // The sample contains near and far pairs: the first host and each other host, each host and the
    // next one in the list, each host and the one that is half the list further on.
    for (std::size_t i = 0; i < used; ++i) {
      if (i > 0) {
        look(hosts.front(), hosts[i]);
      }
      look(hosts[i], hosts[(i + 1) % used]);
      look(hosts[i], hosts[(i + used / 2) % used]);
    }
  }
  if (used == 1 && ranks > 1) {
    look(hosts.front(), hosts.front());
  } else if (used == 1 && platform.host_count() > 1) {
    look(hosts.front(),
         // No message will be sent. The facts are those of a message to another host.
         hosts.front() == 0 ? 1 : 0);
  } else if (facts.routes_looked_at == 0) {
    facts.fastest_latency_s = 0;
    facts.widest_bandwidth_bytes_per_s = kInfinity;
  }
}

void scale_links(PlatformView& platform, const PriceOverrides& overrides, PlatformFacts& facts) {
  const auto ratio = [&](const std::optional<double>& wanted, double present, const char* what) {
    if (!wanted || *wanted == present || facts.routes_looked_at == 0) {
      return 1.0;
    }
    if (present == 0) {
      throw UserError(fmt::format("{}: {} cannot be scaled, because it is 0 on all routes",
                                  user_text(platform.path()), what));
    }
    return *wanted / present;
  };
  const double slower = ratio(overrides.alpha_s, facts.latency_s, "the latency ($alpha)");
  const bool narrow = overrides.beta_s_per_byte && *overrides.beta_s_per_byte > 0;
  const double narrower = narrow && facts.routes_looked_at > 0
                              ? *overrides.beta_s_per_byte * facts.bandwidth_bytes_per_s
                              : 1.0;
  if (!std::isfinite(narrower)) {
    throw UserError(
        fmt::format("{}: the bandwidth ($beta) cannot be scaled, because the platform's routes "
                    "have no links",
                    user_text(platform.path())));
  }
  if (slower != 1 || narrower != 1) {
    platform.scale_links(slower, narrower);
  }
  facts.latency_s = overrides.alpha_s.value_or(facts.latency_s);
  facts.fastest_latency_s *= slower;
  if (overrides.beta_s_per_byte) {
    facts.bandwidth_bytes_per_s = narrow ? 1 / *overrides.beta_s_per_byte : kInfinity;
    facts.widest_bandwidth_bytes_per_s =
        narrow ? facts.widest_bandwidth_bytes_per_s / narrower : kInfinity;
  }
}

// Applies the changes and updates the facts. If transfers are free, they remain free.
void change_platform(PlatformView& platform, const PlatformChanges& changes, const Hosts& used,
                     std::uint32_t ranks, RankPlaces& places) {
  PlatformFacts& facts = places.facts;
  if (changes.of_network()) {
    platform.change(changes, used);
    describe_routes(platform, used, ranks, facts);
    if (places.free_transfers) {
      facts.bandwidth_bytes_per_s = facts.widest_bandwidth_bytes_per_s = kInfinity;
    }
  }
}

void describe_speeds(const PlatformView& platform, const Hosts& used, double slower,
                     PlatformFacts& facts) {
  facts.speed_flops_per_s = kInfinity;
  facts.fastest_speed_flops_per_s = 0;
  for (const std::uint32_t host : used) {
    const double speed = platform.speed_flops_per_s(host);
    facts.speed_flops_per_s = std::min(facts.speed_flops_per_s, speed);
    facts.fastest_speed_flops_per_s = std::max(facts.fastest_speed_flops_per_s, speed);
  }
  if (slower != 1) {
    facts.speed_flops_per_s = slower == 0 ? kInfinity : facts.speed_flops_per_s / slower;
    facts.fastest_speed_flops_per_s =
        slower == 0 ? kInfinity : facts.fastest_speed_flops_per_s / slower;
  }
}

// A host is very slow if the others are at least this many times faster. Hosts of one cluster
// differ by less. A slower one is mostly the host of a scheduler, which computes nothing.
constexpr double kVerySlow = 1000;

// Joins the names of hosts as a list for $hosts: "n[0-7],m". Consecutive numbers without leading
// zeros become a range.
std::string list_of_hosts(const std::vector<std::string>& names) {
  std::string list;
  std::string stem;  // of the range at the end of the list
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  const auto close = [&] {
    if (!stem.empty()) {
      list += first == last ? fmt::format("{}", last) : fmt::format("[{}-{}]", first, last);
      stem.clear();
    }
  };
  for (const std::string& name : names) {
    std::size_t digits = name.find_last_not_of("0123456789") + 1;
    constexpr std::size_t kMostDigits = 9;
    const bool plain = digits > 0 && digits < name.size() && name.size() - digits <= kMostDigits &&
                       (name[digits] != '0' || digits + 1 == name.size());
    digits = plain ? digits : name.size();
    const std::uint64_t number = plain ? std::stoull(name.substr(digits)) : 0;
    if (plain && stem == name.substr(0, digits) && number == last + 1) {
      last = number;
      continue;
    }
    close();
    list += (list.empty() ? "" : ",") + name.substr(0, digits);
    if (plain) {
      stem = name.substr(0, digits);
      first = last = number;
    }
  }
  close();
  return list;
}

// Adds a note if one host, or a few, are so slow that the run waits for them alone.
void describe_slow_hosts(const PlatformView& platform, const Hosts& used, PlatformFacts& facts) {
  if (facts.speed_flops_per_s * kVerySlow > facts.fastest_speed_flops_per_s) {
    return;
  }
  std::vector<double> speeds;
  for (const std::uint32_t host : used) {
    speeds.push_back(platform.speed_flops_per_s(host));
  }
  const auto middle = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2);
  std::nth_element(speeds.begin(), middle, speeds.end());
  const double usual = *middle;
  const auto is_slow = [&](std::uint32_t host) {
    return platform.speed_flops_per_s(host) * kVerySlow <= usual;
  };
  const auto slowest = std::ranges::min_element(
      used, {}, [&](std::uint32_t host) { return platform.speed_flops_per_s(host); });
  const auto count = std::ranges::count_if(used, is_slow);
  if (count == 0) {
    return;
  }
  std::string note = fmt::format(
      "host {}{} is {:.3g} times slower than most hosts in use ({:g} against {:g} flop/s), and so "
      "is "
      "each reduction there",
      printable(platform.host_name(*slowest)),
      count == 1 ? std::string() : fmt::format(", one of {} such hosts,", count),
      usual / platform.speed_flops_per_s(*slowest), platform.speed_flops_per_s(*slowest), usual);
  std::vector<std::string> others;
  for (std::uint32_t host = 0; host < platform.host_count(); ++host) {
    if (!is_slow(host)) {
      others.push_back(platform.host_name(host));
    }
  }
  const std::string list = list_of_hosts(others);
  constexpr std::size_t kMostLetters = 200;
  const bool short_list =
      list.size() <= kMostLetters && std::ranges::none_of(others, [](const std::string& name) {
        return !is_printable(name) || name.find_first_of("[], \t'\"") != std::string::npos;
      });
  note += with_fields(fmt::format(
      "; {}$hosts ",
      others.size() >= used.size()
          ? std::string("to leave it out, give ")
          : fmt::format("to leave it out, use at most {} hosts, with ", others.size())));
  note += short_list ? "'" + list + "'" : "and a file with the names of the other hosts";
  facts.notes.push_back(std::move(note));
}

std::uint32_t hosts_needed(const Mapping& mapping) {
  const std::uint32_t per_host = std::max<std::uint32_t>(mapping.ranks_per_host, 1);
  return mapping.ranks / per_host + (mapping.ranks % per_host != 0 ? 1 : 0);
}

}  // namespace

std::vector<std::uint32_t> hosts_in_use(const Mapping& mapping) {
  if (mapping.host_of_rank == nullptr) {
    Hosts hosts(hosts_needed(mapping));
    std::iota(hosts.begin(), hosts.end(), 0);
    return hosts;
  }
  Hosts hosts = hosts_of_ranks(mapping);
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  return hosts;
}

std::vector<std::uint32_t> hosts_of_ranks(const Mapping& mapping) {
  if (mapping.host_of_rank != nullptr) {
    TUTTI_INVARIANT(mapping.ranks <= mapping.host_of_rank->size());
    return {mapping.host_of_rank->begin(), mapping.host_of_rank->begin() + mapping.ranks};
  }
  const std::uint32_t per_host = std::max<std::uint32_t>(mapping.ranks_per_host, 1);
  const std::uint32_t used = hosts_needed(mapping);
  std::vector<std::uint32_t> order(used);
  std::iota(order.begin(), order.end(), 0);
  if (mapping.placement == Placement::by_switch && mapping.hosts_per_switch > 0) {
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return a % mapping.hosts_per_switch < b % mapping.hosts_per_switch;
    });
  }
  if (mapping.placement == Placement::by_switch && mapping.place_at_switch != nullptr) {
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return (*mapping.place_at_switch)[a] < (*mapping.place_at_switch)[b];
    });
  }
  std::vector<std::uint32_t> hosts;
  hosts.reserve(mapping.ranks);
  for (std::uint32_t rank = 0; rank < mapping.ranks; ++rank) {
    hosts.push_back(order[mapping.placement == Placement::cyclic ? rank % used : rank / per_host]);
  }
  return hosts;
}

RankPlaces place_ranks(PlatformView& platform, const Mapping& mapping,
                       const PriceOverrides& overrides, std::uint32_t element_bytes,
                       const PlatformChanges& changes) {
  check_price("$alpha", overrides.alpha_s);
  check_price("$beta", overrides.beta_s_per_byte);
  check_price("$gamma", overrides.gamma_s_per_byte);
  const std::uint32_t per_host = std::max<std::uint32_t>(mapping.ranks_per_host, 1);
  const std::uint32_t hosts = platform.host_count();
  if (mapping.host_of_rank == nullptr && mapping.ranks > std::uint64_t{per_host} * hosts) {
    throw UserError(fmt::format(
        "{} ranks do not fit on the {} host{} of {} with {} rank{} per host; $ranks_per_host {} "
        "would do",
        mapping.ranks, hosts, hosts == 1 ? "" : "s", user_text(platform.path()), per_host,
        per_host == 1 ? "" : "s", (std::uint64_t{mapping.ranks} + hosts - 1) / hosts));
  }

  RankPlaces result;
  const Hosts used = hosts_in_use(mapping);
  TUTTI_INVARIANT(!used.empty() && used.back() < hosts);
  result.host_of_rank = hosts_of_ranks(mapping);

  PlatformFacts& facts = result.facts;
  facts.name = platform.name();
  facts.notes.assign(platform.notes().begin(), platform.notes().end());
  facts.hosts = hosts;
  facts.hosts_used = static_cast<std::uint32_t>(used.size());
  if (mapping.ranks > used.size()) {
    describe_shared_hosts(platform, used, facts);
    describe_shared_cores(platform, result.host_of_rank, facts);
  }
  describe_routes(platform, used, mapping.ranks, facts);
  if (overrides.alpha_s || overrides.beta_s_per_byte) {
    scale_links(platform, overrides, facts);
  }
  result.free_transfers = overrides.beta_s_per_byte && *overrides.beta_s_per_byte == 0;

  describe_speeds(platform, used, 1, facts);
  describe_slow_hosts(platform, used, facts);
  result.flops_per_byte = 1.0 / element_bytes;
  double slower = 1;
  if (overrides.gamma_s_per_byte) {
    // The slowest host needs gamma seconds per byte. The ratios between the speeds of hosts stay
    // the same.
    slower = *overrides.gamma_s_per_byte * facts.speed_flops_per_s / result.flops_per_byte;
    result.flops_per_byte = *overrides.gamma_s_per_byte * facts.speed_flops_per_s;
  }
  change_platform(platform, changes, used, mapping.ranks, result);
  result.flops_per_byte *= changes.gamma;
  describe_speeds(platform, used, slower * changes.gamma, facts);
  return result;
}

void refuse_missing_route(std::string_view path, std::string_view from, std::string_view to) {
  if (from == to) {
    throw UserError(
        fmt::format("{}: host {} has no route to itself, which two ranks on one host need; add "
                    "loopback_bw and loopback_lat to its cluster, or a route to itself to its "
                    "zone, or use one rank per host",
                    user_text(path), user_text(from)));
  }
  throw UserError(fmt::format(
      "{}: there is no route from host {} to host {}; $hosts places the ranks on other hosts",
      user_text(path), user_text(from), user_text(to)));
}

}}  // namespace tutti::platforms
