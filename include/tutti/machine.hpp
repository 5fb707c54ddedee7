// On what a schedule runs.
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

// How ranks lie on hosts, in the order of the hosts in the platform's file.
enum class Placement : std::uint8_t {
  block,   // ranks 0..k-1 on the first host
  cyclic,  // rank r on host r mod (number of hosts used)
};

struct Machine {
  // A SimGrid platform in XML; "": a crossbar of as many hosts as needed, by the next three.
  std::string platform;
  double latency_s = 2e-6;
  double bandwidth_bytes_per_s = 1.25e9;  // 10 Gb/s
  double speed_flops_per_s = 1e9;         // a reduction is one operation per element

  std::uint32_t ranks_per_host = 1;
  Placement placement = Placement::block;
  // The platform's names of the hosts of ranks 0, 1, ...: of as many ranks as run, or more. In
  // place of the two above; empty: by these.
  std::vector<std::string> host_of_rank = {};

  // "flow": every message on the network with its sharing, as SimGrid simulates it;
  // "critical-path": alpha, beta and gamma alone; "simgrid": SimGrid itself, if the program links
  // tutti::simgrid; "auto": flow where it is exact, else simgrid.
  std::string engine = "auto";
  // Messages that a rank may send, and as many that it may receive, at a time.
  std::uint32_t ports = 1;
  // Messages of at most so many bytes leave before their receiver is ready; nothing: none does.
  std::optional<std::uint64_t> eager_bytes;

  // In place of what the platform says.
  std::optional<double> alpha_s;           // a message
  std::optional<double> beta_s_per_byte;   // a byte sent
  std::optional<double> gamma_s_per_byte;  // a byte reduced
  double copy_s_per_byte = 0;              // a byte copied within a rank
};

TUTTI_END
