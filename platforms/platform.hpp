// What a platform is to the rest of the project: a description to load, and the facts read from it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::inline platforms {

// A homogeneous crossbar: every host has an up and a down link to a switch that never contends.
// A message between two hosts takes latency_s + bytes / bandwidth.
struct Crossbar {
  std::uint32_t hosts = 1;
  double latency_s = 2e-6;                // of a route: both its links together
  double bandwidth_bytes_per_s = 1.25e9;  // of each link; 10 Gb/s
  double speed_flops_per_s = 1e9;         // of each host, one core

  friend bool operator==(const Crossbar&, const Crossbar&) = default;
};

// Which platform to load: an XML file, or a crossbar made on the fly.
struct PlatformSource {
  std::string file;  // empty: `crossbar`
  Crossbar crossbar;

  friend bool operator==(const PlatformSource&, const PlatformSource&) = default;
};

// How ranks lie on hosts, in the order of the hosts in the XML.
enum class Placement : std::uint8_t {
  block,   // ranks 0..k-1 on the first host, k..2k-1 on the second
  cyclic,  // rank r on host r mod (number of hosts used)
  // In blocks on the hosts, these dealt out over their switches: the first host of each switch,
  // then the second of each, ...
  by_switch,
};

struct Mapping {
  std::uint32_t ranks = 1;
  std::uint32_t ranks_per_host = 1;
  Placement placement = Placement::block;
  std::uint32_t hosts_per_switch = 0;  // where ranks are placed by switch
  // The same where switches have unequal numbers of hosts: by host of the platform, which of those
  // at its switch it is. Null elsewhere.
  std::shared_ptr<const std::vector<std::uint32_t>> place_at_switch = nullptr;
  // The host of each rank, and perhaps of more ranks, where somebody has said it; `placement` is
  // then no matter, and `ranks_per_host` the most that a host has. Null: by `placement`.
  std::shared_ptr<const std::vector<std::uint32_t>> host_of_rank = nullptr;
};

// What a loaded platform says of itself, as far as the given ranks use it.
struct PlatformFacts {
  std::string name;         // the file's name, or "crossbar:64"
  std::uint32_t hosts = 0;  // of the platform
  std::uint32_t hosts_used = 0;
  // The slowest route between two hosts in use: longest latency, narrowest link. They are the
  // alpha and beta of the formulas; where routes differ, the fastest are given beside them.
  double latency_s = 0;
  double fastest_latency_s = 0;
  double bandwidth_bytes_per_s = 0;
  double widest_bandwidth_bytes_per_s = 0;
  double speed_flops_per_s = 0;  // of the slowest host in use
  double fastest_speed_flops_per_s = 0;
  std::uint64_t routes_looked_at = 0;  // all pairs up to 64 hosts, a sample beyond
  // What the user should know about how this platform is simulated, one sentence each.
  std::vector<std::string> notes;
};

// Prices that the user gives in place of the platform's; engines and predictions take both.
struct PriceOverrides {
  std::optional<double> alpha_s;
  std::optional<double> beta_s_per_byte;
  std::optional<double> gamma_s_per_byte;

  [[nodiscard]] bool any() const { return alpha_s || beta_s_per_byte || gamma_s_per_byte; }
  friend bool operator==(const PriceOverrides&, const PriceOverrides&) = default;
};

}  // namespace tutti::inline platforms
