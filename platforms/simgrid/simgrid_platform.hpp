// Loads a platform into this process's SimGrid engine. There is one engine and one platform per
// process, and SimGrid may abort on what it dislikes: sim/simgrid/isolated_run.hpp keeps both in a
// process of their own.
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

// Where ranks run, and what their part of the platform is like.
struct RankHosts {
  std::vector<simgrid::s4u::Host*> host_of_rank;
  std::vector<std::uint32_t> hosts_in_use;  // in the order of the XML, ascending
  PlatformFacts facts;                      // after the overrides
  // Work of a reduction. With overrides it is scaled, since SimGrid's hosts keep their speed.
  double flops_per_byte = 0;
  // The user's beta is 0: messages take their latency only.
  bool free_transfers = false;
  // By rank, how many times as fast its host is as SimGrid has it; empty: all are as they are.
  std::vector<double> speed_factors;
};

class SimGridPlatform {
 public:
  // Loads `source`. Throws UserError for a file that check_platform_file() refuses, for an unknown
  // network model, and for what SimGrid reports by exception; SimGrid may also end the process.
  // For that case `doing` is told, in a few words, what comes next ("" when it is over).
  SimGridPlatform(const PlatformSource& source, const std::string& network_model,
                  std::function<void(std::string_view)> doing = {},
                  Updates updates = Updates::lazy);
  SimGridPlatform(const SimGridPlatform&) = delete;
  SimGridPlatform& operator=(const SimGridPlatform&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

  struct Links {
    std::vector<simgrid::s4u::Link*> links;
    double latency_s = 0;  // of the route; that of its links, and more where hosts have places
  };
  // Throws UserError naming the hosts if there is no route.
  [[nodiscard]] Links links_between(const simgrid::s4u::Host* from,
                                    const simgrid::s4u::Host* to) const;

  // In the order of the XML, which SimGrid's own list (sorted by name) is not.
  [[nodiscard]] const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }

  [[nodiscard]] std::vector<std::string> host_names() const;

  // Places ranks and applies the user's prices and changes. Call it once per process if there are
  // any: they change links. `known_as`: the same platform, whose links have places; or null. Throws
  // UserError when ranks do not fit, when there is no route between two hosts in use, or when a
  // price cannot be applied.
  [[nodiscard]] RankHosts place(const Mapping& mapping, const PriceOverrides& overrides,
                                std::uint32_t element_bytes, const PlatformChanges& changes = {},
                                const ClusterPlatform* known_as = nullptr);

  // In the order of the XML, what hosts have come to by changes: factors on their speeds; empty
  // where there are none.
  [[nodiscard]] const std::vector<double>& speed_factors() const { return speed_factors_; }

  // Throws UserError naming the hosts if one of the pairs has no route.
  void check_routes(const RankHosts& hosts,
                    std::span<const std::pair<std::uint32_t, std::uint32_t>> rank_pairs) const;

 private:
  class View;

  std::string name_;
  std::string what_;  // the same for messages: with the path that the user gave
  std::function<void(std::string_view)> doing_;
  simgrid::s4u::Engine* engine_;  // never deleted: it lives as long as the process
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<double> speed_factors_;
  bool reading_ = true;  // the XML
};

}  // namespace tutti::inline platforms
