// Hosts around one switch without contention. With one core per host, this is the crossbar of the
// published formulas; with several cores and ranks per host (--ranks-per-host), it is an SMP
// cluster.
#pragma once

#include <cstdint>
#include <string>

#include "platforms/cluster_platform.hpp"
#include "platforms/cluster_xml.hpp"

namespace tutti { inline namespace platforms {

struct SingleSwitch {
  std::uint64_t hosts = 1;
  LinkFigures route;  // figures of a route; each of its two links has half the latency
  NodeFigures node;
  std::string in_network = {};  // see ClusterTag
  std::string note = {};
};

// Default loopback, for messages between two ranks of one host: shared memory, into which the
// sender copies and from which the receiver copies.
inline constexpr LinkFigures kSharedMemory = {.latency_s = 0.3e-6, .bandwidth_bytes_per_s = 10e9};

// Returns the text of a platform file. Throws UserError if the parameters are impossible.
[[nodiscard]] std::string crossbar_to_xml(const SingleSwitch& crossbar);

// Returns the text of a platform file. Requires at least 2 cores per host. If there is no loopback,
// adds kSharedMemory.
[[nodiscard]] std::string smp_to_xml(SingleSwitch smp);

// Returns the platform without writing a file; `path` names it in error messages. The platform has
// a loopback only if its `node` has one. Throws UserError if the parameters are impossible.
[[nodiscard]] ClusterPlatform cluster_of(const SingleSwitch& platform, std::string path);

}}  // namespace tutti::platforms
