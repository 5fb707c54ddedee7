// Loads a platform into this process's SimGrid engine. There is only one engine and one platform
// per process, and SimGrid may abort on errors. Therefore sim/simgrid/isolated_run.hpp runs SimGrid
// in a child process.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/network_models.hpp"
#include "platforms/platform.hpp"
#include "platforms/rank_places.hpp"

namespace simgrid::s4u {
class Engine;
class Host;
class Link;
}  // namespace simgrid::s4u

namespace tutti::inline platforms {

class ClusterPlatform;

// The hosts of all ranks, and facts about the part of the platform that they use.
struct RankHosts {
  std::vector<simgrid::s4u::Host*> host_of_rank;
  std::vector<std::uint32_t> hosts_in_use;  // in the order of the XML, ascending
  PlatformFacts facts;                      // after the overrides
  // Work per reduced byte. Scaled by the user's gamma, since SimGrid's hosts keep their speed.
  double flops_per_byte = 0;
  // True if the user's beta is 0: messages take only their latency.
  bool free_transfers = false;
  // By rank, the factor on the speed of its host in SimGrid; empty: all 1.
  std::vector<double> speed_factors;
};

class SimGridPlatform {
 public:
  // Loads `source`. Throws UserError for a file that check_platform_file() refuses, for an unknown
  // network model, and for errors that SimGrid reports by exception. SimGrid may also end the
  // process: for that case, `doing` is called with a short description before each step, and with
  // "" at the end.
  SimGridPlatform(const PlatformSource& source, const std::string& network_model,
                  std::function<void(std::string_view)> doing = {},
                  Updates updates = Updates::lazy);
  SimGridPlatform(const SimGridPlatform&) = delete;
  SimGridPlatform& operator=(const SimGridPlatform&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

  struct Links {
    std::vector<simgrid::s4u::Link*> links;
    double latency_s = 0;  // of the route; more than the sum of its links if hosts have coordinates
  };
  // Throws UserError naming the hosts if there is no route.
  [[nodiscard]] Links links_between(const simgrid::s4u::Host* from,
                                    const simgrid::s4u::Host* to) const;

  // Hosts in the order of the XML; SimGrid's own list is sorted by name.
  [[nodiscard]] const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }

  [[nodiscard]] std::vector<std::string> host_names() const;

  // Places ranks and applies the user's prices and changes. These modify links: with any of them,
  // call place() only once per process. `known_as` is the same platform as a ClusterPlatform, whose
  // links have places, or null. Throws UserError if the ranks do not fit, if there is no route
  // between two hosts in use, or if a price cannot be applied.
  [[nodiscard]] RankHosts place(const Mapping& mapping, const PriceOverrides& overrides,
                                std::uint32_t element_bytes, const PlatformChanges& changes = {},
                                const ClusterPlatform* known_as = nullptr);

  // Factors on the speeds of the hosts by the user's changes, in the order of the XML; empty if
  // there are none.
  [[nodiscard]] const std::vector<double>& speed_factors() const { return speed_factors_; }

  // Throws UserError naming the hosts if one of the pairs has no route.
  void check_routes(const RankHosts& hosts,
                    std::span<const std::pair<std::uint32_t, std::uint32_t>> rank_pairs) const;

 private:
  class View;

  std::string name_;
  std::string what_;  // name for messages: the path that the user gave
  std::function<void(std::string_view)> doing_;
  simgrid::s4u::Engine* engine_;  // never deleted: it lives as long as the process
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<double> speed_factors_;
  bool reading_ = true;  // while SimGrid reads the XML
};

}  // namespace tutti::inline platforms
