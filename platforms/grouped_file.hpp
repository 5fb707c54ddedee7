// Reads platforms whose leaf switches are in groups, in the one XML format that grouped.hpp writes:
//
//     <zone id="world" routing="Full">
//       <zone id="GROUP" routing="Floyd">
//         <zone id="CORE" routing="Full"><router id="SPINES"/></zone>
//         <cluster id="LEAF" ... router_id="SWITCH"/>      with split-duplex links
//         <link id="TRUNK" .../>                           one for each leaf; split duplex
//         <zoneRoute src="LEAF" dst="CORE" gw_src="SWITCH" gw_dst="SPINES" symmetrical="NO">
//           <link_ctn id="TRUNK" direction="UP"/></zoneRoute>
//         <zoneRoute src="CORE" dst="LEAF" ... ><link_ctn id="TRUNK" direction="DOWN"/></zoneRoute>
//       </zone>
//       <link .../>                                        links between groups; split duplex
//       <zoneRoute src="GROUP" dst="OTHER" gw_src="SPINES" ...>   another one leads back
//         <link_ctn id="OUT" direction="UP"/>              the link out of GROUP
//         <link_ctn id="PAIR" direction="UP"/>             the link between the two groups; DOWN if
//                                                          GROUP comes after OTHER in the file
//         <link_ctn id="OTHER_OUT" direction="DOWN"/>      the link out of OTHER
//       </zoneRoute>
//     </zone>
//
// If the host names of a leaf do not consist of a common prefix and a number, the leaf is not a
// <cluster> but a <zone> with a router, and with a <host>, an up-link and a loopback for each host,
// as grouped.cpp writes it. All links of the same kind must have the same figures, and all hosts
// the same speed and number of cores. A file may omit either the links PAIR or the links OUT and
// OTHER_OUT, but must then omit them in all routes.
#pragma once

#include <pugixml.hpp>

#include <optional>

#include "platforms/cluster_platform.hpp"

namespace tutti { inline namespace platforms {

// Returns the platform, or nothing if it is not in the format above.
[[nodiscard]] std::optional<Cluster> read_grouped(const pugi::xml_node& platform);

}}  // namespace tutti::platforms
