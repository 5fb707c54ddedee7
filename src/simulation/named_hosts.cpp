#include "src/simulation/named_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "platforms/cluster_platform.hpp"
#include "sim/random_part.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti { inline namespace simulation {

namespace {

using HostIndex = std::unordered_map<std::string, std::uint32_t>;

// Returns the names of the hosts of a platform that SimGrid has to load. Asks SimGrid only once for
// each platform file, because `tutti decide` makes a machine for each number of ranks.
const std::vector<std::string>& names_by_simgrid(const Machine& machine) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<std::string>> known;  // for each path of a platform file
  const std::lock_guard lock(mutex);
  const auto at = known.find(machine.spec.source.file);
  return at != known.end() ? at->second
                           : known.emplace(machine.spec.source.file, host_names_of_simgrid(machine))
                                 .first->second;
}

// Returns the names of the platform's hosts, in the platform's order.
std::vector<std::string> host_names(const Machine& machine) {
  const auto cluster = known_cluster(machine);
  if (cluster == nullptr) {
    return names_by_simgrid(machine);
  }
  std::vector<std::string> names;
  names.reserve(cluster->host_count());
  for (std::uint32_t host = 0; host < cluster->host_count(); ++host) {
    names.push_back(cluster->host_name(host));
  }
  return names;
}

[[noreturn]] void refuse_unknown(const NamedHosts& named, std::size_t which, const Machine& machine,
                                 const HostIndex& index) {
  const std::vector<std::string> names = host_names(machine);
  const std::string where =
      named.lines.empty() ? named.option : place_in_file(named.file, named.lines[which]);
  const std::string near = did_you_mean(named.names[which], names);
  const bool any = std::any_of(named.names.begin(), named.names.end(),
                               [&](const std::string& name) { return index.contains(name); });
  throw UserError(fmt::format(
      "{}: {} has no host '{}'{}{}", where, machine.spec.source.file, printable(named.names[which]),
      near.empty() || !any ? fmt::format("; its hosts are named {} to {}", printable(names.front()),
                                         printable(names.back()))
                           : "",
      near));
}

void refuse_few(const NamedHosts& named, const Mapping& mapping) {
  const std::size_t given = named.names.size();
  if (named.by_rank) {
    throw UserError(fmt::format(
        "{}: the list has {}, but the run has {}; give each rank a host, or use fewer ranks",
        named.option, counted(given, "rank"), counted(mapping.ranks, "rank")));
  }
  throw UserError(fmt::format(
      "{}: {} for {} with {} per host; use $ranks_per_host {}", named.option,
      given == 1 ? "1 host is too few" : fmt::format("{} hosts are too few", human_count(given)),
      counted(mapping.ranks, "rank"), counted(mapping.ranks_per_host, "rank"),
      (mapping.ranks + given - 1) / given));
}

// Returns `count` different numbers below `of`, in ascending order. With a smaller count, the
// result is a subset of that with a larger count. The numbers are the same on every computer.
// `count` is at most `of`.
std::vector<std::uint32_t> drawn_hosts(std::uint32_t count, std::uint32_t of, std::uint32_t seed) {
  TUTTI_INVARIANT(count <= of);
  std::vector<std::uint32_t> order(of);
  std::iota(order.begin(), order.end(), 0);
  const std::uint64_t bits = mixed_bits(seed);
  for (std::uint32_t i = 0; i < count; ++i) {
    // Because of the remainder, hosts are not drawn with exactly equal probability, but the
    // relative difference is below 2^-32.
    std::swap(order[i], order[i + mixed_bits(bits ^ mixed_bits(i)) % (of - i)]);
  }
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

void use_hosts(Machine& machine, const NamedHosts& named) {
  if (machine.built_in()) {
    throw UserError(fmt::format(
        "{}: the hosts of a crossbar have no names; give a platform with $platform FILE",
        named.option));
  }
  Mapping& mapping = machine.mapping;
  if (named.by_rank && mapping.ranks_per_host > 1) {
    throw UserError(fmt::format(
        "{}: the list already says how many ranks are on each host; leave out $ranks_per_host {}",
        named.option, mapping.ranks_per_host));
  }
  const std::uint32_t per_host = mapping.ranks_per_host;
  const std::uint64_t room =
      std::min(std::uint64_t{named.names.size()} * (named.by_rank ? 1 : per_host),
               std::uint64_t{kMostRanks});
  HostIndex index;
  for (std::string& name : host_names(machine)) {
    index.emplace(std::move(name), static_cast<std::uint32_t>(index.size()));
  }
  for (std::size_t i = 0; i < named.names.size(); ++i) {
    if (!index.contains(named.names[i])) {
      refuse_unknown(named, i, machine, index);
    }
  }
  if (room < mapping.ranks) {
    refuse_few(named, mapping);
  }
  // Maps as many ranks as the hosts have room for, so that runs with fewer ranks use the same
  // mapping.
  std::vector<std::uint32_t> hosts;
  std::unordered_map<std::uint32_t, std::uint32_t> ranks_on;
  std::uint32_t most = 1;
  auto origin = std::make_shared<HostSource>();
  for (std::uint64_t rank = 0; rank < room; ++rank) {
    const std::string& name = named.names[named.by_rank ? rank : rank / per_host];
    if (rank < mapping.ranks) {
      origin->names.push_back(name);
    }
    hosts.push_back(index.at(name));
    most = std::max(most, ++ranks_on[hosts.back()]);
    if (rank + 1 == mapping.ranks) {
      origin->used = static_cast<std::uint32_t>(ranks_on.size());
    }
  }
  origin->from = named.from;
  origin->given = static_cast<std::uint32_t>(named.names.size());
  origin->by_rank = named.by_rank;
  origin->per_host = named.by_rank ? 1 : per_host;
  mapping.ranks_per_host = named.by_rank ? most : per_host;
  mapping.host_of_rank = std::make_shared<const std::vector<std::uint32_t>>(std::move(hosts));
  machine.host_source = std::move(origin);
}

void use_random_hosts(Machine& machine, std::uint32_t seed) {
  if (machine.built_in()) {
    throw UserError(
        "a random placement changes nothing on a crossbar, whose hosts are all alike; give a "
        "platform with $platform FILE");
  }
  const std::string from = fmt::format("$placement random:{}", seed);
  Mapping& mapping = machine.mapping;
  TUTTI_INVARIANT(mapping.host_of_rank == nullptr);
  const std::uint32_t per_host = mapping.ranks_per_host;
  const std::uint32_t needed = mapping.ranks / per_host + (mapping.ranks % per_host != 0 ? 1 : 0);
  const auto cluster = known_cluster(machine);
  const std::vector<std::string> names =
      cluster == nullptr ? host_names(machine) : std::vector<std::string>{};
  const auto there =
      cluster == nullptr ? static_cast<std::uint32_t>(names.size()) : cluster->host_count();
  if (needed > there) {
    throw UserError(
        sentence("{}: {} do not fit on the {} of {} with {} per host; use $ranks_per_host {}", from,
                 counted(mapping.ranks, "rank"), counted(there, "host"), machine.spec.source.file,
                 counted(per_host, "rank"), (std::uint64_t{mapping.ranks} + there - 1) / there));
  }
  const std::vector<std::uint32_t> drawn = drawn_hosts(needed, there, seed);
  std::vector<std::uint32_t> hosts;
  hosts.reserve(mapping.ranks);
  auto origin = std::make_shared<HostSource>();
  for (std::uint32_t rank = 0; rank < mapping.ranks; ++rank) {
    const std::uint32_t host = drawn[rank / per_host];
    hosts.push_back(host);
    origin->names.push_back(cluster == nullptr ? names[host] : cluster->host_name(host));
  }
  origin->from = with_fields(from);
  origin->given = origin->used = needed;
  origin->per_host = per_host;
  mapping.host_of_rank = std::make_shared<const std::vector<std::uint32_t>>(std::move(hosts));
  machine.host_source = std::move(origin);
  machine.spec.placement_seed = seed;
}

}}  // namespace tutti::simulation
