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

namespace tutti { inline namespace platforms {

class ClusterPlatform;

// The hosts of all ranks, and facts about the part of the platform that they use.
struct RankHosts {
  std::vector<simgrid::s4u::Host*> host_of_rank;
  std::vector<std::uint32_t> number_of_rank_host;  // by rank; numbered in the order of the XML
  std::vector<std::uint32_t> hosts_in_use;         // ascending; numbered in the order of the XML
  PlatformFacts facts;                             // after the user's prices were applied
  // Work per reduced byte. The user's gamma scales this number, because the speeds of SimGrid's
  // hosts stay unchanged.
  double flops_per_byte = 0;
  // True if the user's beta is 0, so that the time of a message is only its latency.
  bool free_transfers = false;
  // True if the platform has profiles or settings that only SimGrid simulates.
  bool may_change = false;
  // By rank: factor on the speed that the rank's host has in SimGrid; empty: all factors are 1.
  std::vector<double> speed_factors;
};

class SimGridPlatform {
 public:
  // Loads `source`. Throws UserError for a file that check_platform_file() refuses, for an unknown
  // network model, and for errors that SimGrid reports by exception. SimGrid may also end the
  // process. `doing` is called with a short description before each step, and with "" at the end,
  // so that the caller can report the step at which the process ended.
  SimGridPlatform(const PlatformSource& source, const std::string& network_model,
                  std::function<void(std::string_view)> doing = {},
                  Updates updates = Updates::lazy);
  SimGridPlatform(const SimGridPlatform&) = delete;
  SimGridPlatform& operator=(const SimGridPlatform&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

  struct Links {
    std::vector<simgrid::s4u::Link*> links;
    // Latency of the route; more than the sum over its links if hosts have coordinates.
    double latency_s = 0;
  };
  // Throws UserError if there is no route. The message names the hosts.
  [[nodiscard]] Links links_between(const simgrid::s4u::Host* from,
                                    const simgrid::s4u::Host* to) const;

  // See CheckedPlatform; empty for a crossbar.
  [[nodiscard]] const std::string& unmodelled() const { return unmodelled_; }

  // Hosts in the order of the XML; SimGrid's own list is sorted by name.
  [[nodiscard]] const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }

  [[nodiscard]] std::vector<std::string> host_names() const;

  // Places ranks and applies the user's prices and changes. Prices and changes modify links, so if
  // there are any, this must be the only call in the process. `known_as` is the same platform in
  // the form of a ClusterPlatform, which knows the places of its links; it may be null. Throws
  // UserError if the ranks do not fit, if there is no route between two hosts in use, or if a price
  // cannot be applied.
  [[nodiscard]] RankHosts place(const Mapping& mapping, const PriceOverrides& overrides,
                                std::uint32_t element_bytes, const PlatformChanges& changes = {},
                                const ClusterPlatform* known_as = nullptr);

  // Factors by which the user's changes multiply the speeds of the hosts, in the order of the XML;
  // empty if no speed changes.
  [[nodiscard]] const std::vector<double>& speed_factors() const { return speed_factors_; }

  // Throws UserError if one of the pairs has no route. The message names the hosts.
  void check_routes(const RankHosts& hosts,
                    std::span<const std::pair<std::uint32_t, std::uint32_t>> rank_pairs) const;

 private:
  class View;

  std::string name_;
  std::string what_;  // name for error messages: the path that the user gave
  std::function<void(std::string_view)> doing_;
  simgrid::s4u::Engine* engine_;  // never deleted: it lives as long as the process
  std::vector<simgrid::s4u::Host*> hosts_;
  std::vector<double> speed_factors_;
  std::vector<std::string> notes_;  // on how the file was read
  std::string unmodelled_;
  bool reading_ = true;  // true while SimGrid reads the XML
};

}}  // namespace tutti::platforms
