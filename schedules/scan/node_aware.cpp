// Node-aware scan: the cores of a node exchange the sums of nodes with different nodes, in phases,
// and combine them with the scan within their node.
//
// Source: the communication pattern of Bienz, Olson and Gropp, "Node-aware improvements to
// allreduce", ExaMPI 2019 (see schedules/patterns/node_scan.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/node_scan.hpp"

namespace tutti { inline namespace schedules { namespace scan {

namespace {

constexpr Algorithm restricted(Algorithm own) {
  own.refusal = refuse_scan_nodes;
  own.limits = kScanNodeLimits;
  return own;
}

void emit(const NodeShape& shape, ScheduleBuilder& builder) {
  emit_node_scan(shape, builder, Own::taken);
}

}  // namespace

extern constinit const Algorithm node_aware = restricted(NodeAware<emit>::algorithm({
    .collective = Collective::scan,
    .name = "node_aware",
    .idea = "the cores of a node exchange sums of nodes with different nodes, and combine them "
            "with the scan within the node",
    .source = "Bienz, Olson and Gropp, ExaMPI 2019",
    .cost = "",
    .keeps_order = always,
    .order_kept = "always",
    .layout = one_block,
}));

}}}  // namespace tutti::schedules::scan
