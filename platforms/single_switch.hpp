// Hosts around one switch that never contends: the crossbar of the published formulas when a host
// has one core, an SMP cluster when it has several and ranks share it (--ranks-per-host).
#pragma once

#include <cstdint>
#include <string>

#include "platforms/cluster_platform.hpp"
#include "platforms/cluster_xml.hpp"

namespace tutti::inline platforms {

struct SingleSwitch {
  std::uint64_t hosts = 1;
  LinkFigures route;  // from host to host: each of its two links has half the latency
  NodeFigures node;
  std::string in_network = {};  // as that of ClusterTag
  std::string note = {};
};

// What a message between two ranks of one host takes where the user says nothing: through shared
// memory, one copy in and one out.
inline constexpr LinkFigures kSharedMemory = {.latency_s = 0.3e-6, .bandwidth_bytes_per_s = 10e9};

// Throws UserError, one line, when the parameters are impossible.
[[nodiscard]] std::string crossbar_to_xml(const SingleSwitch& crossbar);

// Needs 2 or more cores; without a loopback, it gets kSharedMemory.
[[nodiscard]] std::string smp_to_xml(SingleSwitch smp);

// The same platform without a file; `path` names it in messages. There is a loopback only where
// `node` has one. Throws UserError as the others do.
[[nodiscard]] ClusterPlatform cluster_of(const SingleSwitch& platform, std::string path);

}  // namespace tutti::inline platforms
