#include "src/simulation/random_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "platforms/cluster_platform.hpp"
#include "sim/random_part.hpp"
#include "src/simulation/named_hosts.hpp"

namespace tutti::inline simulation {

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

void use_random_hosts(Machine& machine, std::uint32_t seed) {
  const std::string from = fmt::format("$placement random:{}", seed);
  if (machine.built_in()) {
    throw UserError(fmt::format(
        "{}: all hosts of a crossbar are alike; give a platform with $platform FILE", from));
  }
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
  auto said = std::make_shared<HostsSaid>();
  for (std::uint32_t rank = 0; rank < mapping.ranks; ++rank) {
    const std::uint32_t host = drawn[rank / per_host];
    hosts.push_back(host);
    said->names.push_back(cluster == nullptr ? names[host] : cluster->host_name(host));
  }
  said->from = with_fields(from);
  said->given = said->used = needed;
  said->per_host = per_host;
  mapping.host_of_rank = std::make_shared<const std::vector<std::uint32_t>>(std::move(hosts));
  machine.hosts_said = std::move(said);
  machine.spec.placement_seed = seed;
}

}  // namespace tutti::inline simulation
