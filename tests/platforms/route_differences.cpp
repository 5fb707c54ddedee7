#include "tests/platforms/route_differences.hpp"

#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Link.hpp>

#include <algorithm>
#include <fstream>
#include <memory>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/simgrid/simgrid_network.hpp"
#include "platforms/simgrid/simgrid_platform.hpp"
#include "sim/isolated_process.hpp"
#include "tests/scratch_folder.hpp"

namespace tutti::route_differences {

namespace s4u = simgrid::s4u;

std::string in_platform(const std::string& elements) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n" +
         elements + "\n</platform>\n";
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
  return "";
}

namespace {

// Calls `look` for all pairs of hosts of a small platform, or for a sample of the pairs of a large
// platform.
template <typename Look>
void for_pairs(std::uint32_t hosts, Random& random, Look&& look) {
  constexpr std::uint32_t kAll = 24;
  if (hosts <= kAll) {
    for (std::uint32_t from = 0; from < hosts; ++from) {
      for (std::uint32_t to = 0; to < hosts; ++to) {
        look(from, to);
      }
    }
    return;
  }
  for (std::uint32_t i = 0; i < kAll * kAll; ++i) {
    const std::uint32_t from = random(0, hosts - 1);
    look(from, random(0, 15) == 0 ? from : random(0, hosts - 1));
  }
}

void compare_routes(const ClusterPlatform& own, const SimGridPlatform& simgrid, Random& random,
                    Differences& differences) {
  const auto& hosts = simgrid.hosts();
  differences.look<std::size_t>(own.host_count(), hosts.size(), "number of hosts");
  for (std::uint32_t i = 0; i < std::min<std::size_t>(own.host_count(), hosts.size()); ++i) {
    differences.look(own.host_name(i), hosts[i]->get_name(), fmt::format("name of host {}", i));
    differences.look(own.speed_flops_per_s(i), hosts[i]->get_speed(), "speed");
  }
  for_pairs(own.host_count(), random, [&](std::uint32_t from, std::uint32_t to) {
    const std::string pair = fmt::format("from {} to {}", from, to);
    std::vector<std::uint32_t> links;
    SimGridPlatform::Links found;
    const std::string refusal = message_of([&] { links = own.links_between(from, to); });
    differences.look(
        refusal, message_of([&] { found = simgrid.links_between(hosts[from], hosts[to]); }), pair);
    if (!refusal.empty()) {
      return;
    }
    differences.look(links.size(), found.links.size(), pair + ", number of links");
    differences.look(own.route(from, to).latency_s, found.latency_s, pair + ", latency");
    for (std::size_t i = 0; i < std::min(links.size(), found.links.size()); ++i) {
      const s4u::Link& link = *found.links[i];
      const ClusterLinkFigures& figures = own.link_figures(links[i]);
      differences.look(own.link_name(links[i]), link.get_name(), fmt::format("{}, {}", pair, i));
      differences.look(figures.bandwidth_bytes_per_s, link.get_bandwidth(), pair + ", bandwidth");
      differences.look(figures.latency_s, link.get_latency(), pair + ", latency of a link");
      differences.look(figures.fatpipe,
                       link.get_sharing_policy() == s4u::Link::SharingPolicy::FATPIPE,
                       pair + ", fat pipe");
    }
  });
}

// Returns the text of a route as the flow engine sees it, with all digits of doubles.
std::string as_text(Network& network, const NetworkRoute& route) {
  const RouteFigures& figures = *route.figures;
  std::string text =
      fmt::format("{} {} {} {} {}", figures.latency_s, figures.weight, figures.cap_bytes_per_s,
                  figures.alone_bytes_per_s, figures.efficiency);
  for (const Hop hop : route.hops) {
    const NetworkLink link = network.links()[hop.link()];
    text += fmt::format(", {} {} {} {} {}", network.link_name(hop.link()), hop.forward(),
                        hop.backward(), link.capacity_bytes_per_s, link.fatpipe);
  }
  return text;
}

// Returns the descriptions in words of the links of a route.
std::string places_of(Network& network, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> links;
  for (const Hop hop : network.route(from, to).hops) {
    links.push_back(hop.link());
  }
  std::string text;
  for (const std::uint32_t link : links) {
    const LinkPlace place = network.link_place(link);
    text += fmt::format("{}: {}; ", place.group, place.name);
  }
  return text;
}

void compare_networks(const ClusterPlatform& own, const SimGridPlatform& simgrid,
                      const RankHosts& placed, const std::string& model, bool places,
                      Random& random, Differences& differences) {
  const auto hosts = static_cast<std::uint32_t>(placed.host_of_rank.size());
  const std::unique_ptr<Network> network = own.network(hosts, model);
  SimGridNetwork judge(simgrid, placed, model);
  differences.look(network->hosts(), judge.hosts(), "hosts of the network");
  for (std::uint32_t host = 0; host < hosts; ++host) {
    differences.look(network->host(host).cores, judge.host(host).cores, "cores");
    differences.look(network->host(host).speed_flops_per_s, judge.host(host).speed_flops_per_s,
                     "speed of a core");
  }
  for_pairs(hosts, random, [&](std::uint32_t from, std::uint32_t to) {
    std::string here;
    std::string there;
    const std::string refusal =
        message_of([&] { here = as_text(*network, network->route(from, to)); });
    differences.look(refusal, message_of([&] { there = as_text(judge, judge.route(from, to)); }),
                     "network refuses");
    differences.look(here, there, fmt::format("{} from {} to {}", model, from, to));
    if (places && refusal.empty()) {
      differences.look(places_of(*network, from, to), places_of(judge, from, to), "places");
    }
  });
}

}  // namespace

std::string difference(const std::string& xml, std::uint32_t seed,
                       const ComparisonSetup& compared) {
  const ScratchFolder folder;  // not a shared file, because test cases run in parallel
  const std::string file = folder.path / "cluster_routes.xml";
  std::ofstream(file) << xml;
  return run_in_child([&](ParentLink&) {
           Random random(seed);
           const auto read = read_cluster_file(file);
           if (read == nullptr) {
             return std::string("it is not read here");
           }
           ClusterPlatform own = *read;
           SimGridPlatform simgrid({.file = file, .crossbar = {}}, "hockney");
           Differences differences;
           compare_routes(own, simgrid, random, differences);
           const std::uint32_t hosts = own.host_count();
           const Mapping mapping{hosts, 1, Placement::block};
           const RankPlaces places =
               place_ranks(own, mapping, compared.prices, 8, compared.changes);
           const RankHosts placed = simgrid.place(mapping, compared.prices, 8, compared.changes);
           const PlatformFacts& facts = places.facts;
           const PlatformFacts& wanted = placed.facts;
           differences.look(facts.name, wanted.name, "name");
           differences.look(facts.hosts_used, wanted.hosts_used, "hosts in use");
           differences.look(facts.latency_s, wanted.latency_s, "latency");
           differences.look(facts.fastest_latency_s, wanted.fastest_latency_s, "least latency");
           differences.look(facts.bandwidth_bytes_per_s, wanted.bandwidth_bytes_per_s, "bandwidth");
           differences.look(facts.widest_bandwidth_bytes_per_s, wanted.widest_bandwidth_bytes_per_s,
                            "widest bandwidth");
           differences.look(facts.speed_flops_per_s, wanted.speed_flops_per_s, "speed");
           differences.look(places.flops_per_byte, placed.flops_per_byte, "flops per byte");
           differences.look(places.free_transfers, placed.free_transfers, "free transfers");
           for (const char* model : {"hockney", "lv08"}) {
             compare_networks(own, simgrid, placed, model, compared.places, random, differences);
           }
           return differences.text();
         })
      .bytes;
}

}  // namespace tutti::route_differences
