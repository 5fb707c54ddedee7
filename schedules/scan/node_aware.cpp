// Node-aware scan: the cores of a node exchange the sums of nodes with different nodes, in phases,
// and combine them with the scan within their node.
//
// Source: the communication pattern of Bienz, Olson and Gropp, "Node-aware improvements to
// allreduce", ExaMPI 2019 (see schedules/patterns/node_scan.hpp).
#include "schedules/patterns/node_scan.hpp"

namespace tutti { inline namespace schedules { namespace scan {

extern constinit const Algorithm node_aware =
    NodeAwareScan<Own::taken>::algorithm(Collective::scan);

}}}  // namespace tutti::schedules::scan
