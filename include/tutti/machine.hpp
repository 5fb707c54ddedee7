// The machine on which a schedule runs.
//
//     tutti::Machine machine{.platform = "fat_tree.xml", .ranks_per_host = 2};
//     machine.ports = tutti::kUnlimitedPorts;
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tutti/version.hpp"

TUTTI_BEGIN

inline constexpr std::uint32_t kUnlimitedPorts = 0;

// How ranks are placed on hosts. Hosts are taken in the order of the platform file.
enum class Placement : std::uint8_t {
  block,   // ranks 0..k-1 on the first host
  cyclic,  // rank r on host r mod (number of hosts used)
};

struct Machine {
  // SimGrid platform file in XML. If empty: a crossbar with as many hosts as needed, described by
  // the next three members.
  std::string platform;
  double latency_s = 2e-6;
  double bandwidth_bytes_per_s = 1.25e9;  // 10 Gb/s
  double speed_flops_per_s = 1e9;         // a reduction is one operation per element

  std::uint32_t ranks_per_host = 1;
  Placement placement = Placement::block;
  // Names of the hosts of ranks 0, 1, ..., as in the platform file; at least one for each rank.
  // Replaces ranks_per_host and placement. If empty, those two members place the ranks.
  std::vector<std::string> host_of_rank = {};

  // "flow": simulates every message on the network, with link sharing, as SimGrid does;
  // "critical-path": uses only alpha, beta and gamma; "simgrid": SimGrid itself, if the program
  // links tutti::simgrid; "auto": flow where it is exact, else simgrid.
  std::string engine = "auto";
  // Number of messages that a rank may send at a time, and also the number that it may receive.
  std::uint32_t ports = 1;
  // Messages of at most this many bytes leave before their receiver is ready. If unset, no message
  // does.
  std::optional<std::uint64_t> eager_bytes;

  // If set, alpha, beta and gamma replace the prices that follow from the platform.
  std::optional<double> alpha_s;           // start-up time of a message
  std::optional<double> beta_s_per_byte;   // time per byte sent
  std::optional<double> gamma_s_per_byte;  // time per byte reduced
  double copy_s_per_byte = 0;              // time per byte copied within a rank
};

TUTTI_END
