// Reads platforms that consist of one zone with a route for each pair of hosts, or with routes from
// which Floyd's algorithm makes one for each pair:
//
//     <zone id="z" routing="Full">                       or Floyd
//       <host id="a" speed="1Gf" core="4"/>              hosts and routers; speeds may differ
//       <link id="l" bandwidth="1GBps" latency="1us"/>   SHARED, FATPIPE or SPLITDUPLEX
//       <route src="a" dst="b">                          symmetrical unless symmetrical="NO"
//         <link_ctn id="l"/>                             direction="UP" or "DOWN" if split duplex
//       </route>
//     </zone>
//
// In a Full zone, routes from and to routers have no effect, because routes between hosts do not
// consist of other routes. A host without a route to itself uses SimGrid's own loopback.
#pragma once

#include <pugixml.hpp>

#include <optional>
#include <string>

#include "platforms/cluster_platform.hpp"

namespace tutti { inline namespace platforms {

// Returns the platform, or nothing if it is not in the format above, if a route between two hosts
// is missing, or if an element or attribute is one that SimGrid might read differently.
[[nodiscard]] std::optional<Cluster> read_explicit(const pugi::xml_node& platform);

// Says that the file has a zone of this form with more hosts and routers than read_explicit()
// takes, as in "its Floyd zone has 1,153 hosts and routers, more than 512"; nothing otherwise.
[[nodiscard]] std::optional<std::string> too_many_points(const std::string& file);

}}  // namespace tutti::platforms
