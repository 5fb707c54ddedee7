// Reads platforms whose leaf switches are in groups: one form of SimGrid's XML, which grouped.hpp
// writes.
//
//     <zone id="world" routing="Full">
//       <zone id="GROUP" routing="Floyd">
//         <zone id="CORE" routing="Full"><router id="SPINES"/></zone>
//         <cluster id="LEAF" ... router_id="SWITCH"/>      its links split duplex
//         <link id="TRUNK" .../>                           of each leaf; split duplex
//         <zoneRoute src="LEAF" dst="CORE" gw_src="SWITCH" gw_dst="SPINES" symmetrical="NO">
//           <link_ctn id="TRUNK" direction="UP"/></zoneRoute>
//         <zoneRoute src="CORE" dst="LEAF" ... ><link_ctn id="TRUNK" direction="DOWN"/></zoneRoute>
//       </zone>
//       <link .../>                                        between groups; split duplex
//       <zoneRoute src="GROUP" dst="OTHER" gw_src="SPINES" ...>   for both directions
//         <link_ctn id="OUT" direction="UP"/>              of the group
//         <link_ctn id="PAIR" direction="UP"/>             of the two; DOWN from the later one
//         <link_ctn id="OTHER_OUT" direction="DOWN"/>      of the other
//       </zoneRoute>
//     </zone>
//
// A leaf whose hosts have no common prefix before their numbers is a zone with a router, and with a
// host, a link up and a loopback for each of them, as grouped.cpp writes it. Links of one kind are
// alike, and so are hosts. Either PAIR or both OUTs can be left out, everywhere.
#pragma once

#include <pugixml.hpp>

#include <optional>

#include "platforms/cluster_platform.hpp"

namespace tutti::inline platforms {

// Nothing for what is not of this form.
[[nodiscard]] std::optional<Cluster> read_grouped(const pugi::xml_node& platform);

}  // namespace tutti::inline platforms
