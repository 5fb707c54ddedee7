// A platform as the rest of the project sees it: a description to load, and facts about the loaded
// platform.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti { inline namespace platforms {

// A homogeneous crossbar: every host has an up-link and a down-link to a switch without contention.
// A message between two hosts takes latency_s + bytes / bandwidth.
struct Crossbar {
  std::uint32_t hosts = 1;
  double latency_s = 2e-6;                // latency of a route: sum over its two links
  double bandwidth_bytes_per_s = 1.25e9;  // of each link; the default is 10 Gb/s
  double speed_flops_per_s = 1e9;         // of each host's only core

  friend bool operator==(const Crossbar&, const Crossbar&) = default;
};

// The platform to load: an XML file, or a crossbar generated in memory.
struct PlatformSource {
  std::string file;  // if empty, `crossbar` is used
  Crossbar crossbar;

  friend bool operator==(const PlatformSource&, const PlatformSource&) = default;
};

// How ranks are placed on hosts. Hosts are numbered in the order of the XML.
enum class Placement : std::uint8_t {
  // With k = Mapping::ranks_per_host: ranks 0..k-1 on the first host, k..2k-1 on the second, ...
  block,
  cyclic,  // rank r on host r mod (number of hosts used)
  // Blocks of ranks on hosts, as in `block`, but hosts are taken round robin over their switches:
  // the first host of each switch, then the second of each, ...
  by_switch,
};

struct Mapping {
  std::uint32_t ranks = 1;
  std::uint32_t ranks_per_host = 1;
  Placement placement = Placement::block;
  std::uint32_t hosts_per_switch = 0;  // for Placement::by_switch
  // Replaces hosts_per_switch if switches have unequal numbers of hosts: the index of each host
  // among the hosts of its switch. Null otherwise.
  std::shared_ptr<const std::vector<std::uint32_t>> place_at_switch = nullptr;
  // The host of each rank, if set explicitly; may have more entries than there are ranks. If not
  // null, `placement` is ignored, and `ranks_per_host` must be the largest number of ranks on a
  // host.
  std::shared_ptr<const std::vector<std::uint32_t>> host_of_rank = nullptr;
};

// Facts about the part of a loaded platform that the ranks of a run use.
struct PlatformFacts {
  std::string name;         // the file's name, or "crossbar:64"
  std::uint32_t hosts = 0;  // number of hosts of the platform
  std::uint32_t hosts_used = 0;
  // Longest latency and lowest bandwidth of all routes between two hosts in use; the cost formulas
  // take their alpha and beta from these values. The members with "fastest" or "widest" in their
  // names are the best values of any such route.
  double latency_s = 0;
  double fastest_latency_s = 0;
  double bandwidth_bytes_per_s = 0;
  double widest_bandwidth_bytes_per_s = 0;
  double speed_flops_per_s = 0;  // speed of the slowest host in use
  double fastest_speed_flops_per_s = 0;
  // Number of routes from which these values were found: the routes between all pairs of hosts in
  // use, or a sample of the pairs if more than 64 hosts are in use.
  std::uint64_t routes_looked_at = 0;
  // Remarks for the user on how this platform is simulated, one sentence each.
  std::vector<std::string> notes;
};

// Costs that the user gives. They replace the platform's costs in engines and in predictions.
struct PriceOverrides {
  std::optional<double> alpha_s;
  std::optional<double> beta_s_per_byte;
  std::optional<double> gamma_s_per_byte;

  [[nodiscard]] bool any() const { return alpha_s || beta_s_per_byte || gamma_s_per_byte; }
  friend bool operator==(const PriceOverrides&, const PriceOverrides&) = default;
};

}}  // namespace tutti::platforms
