// Node-aware scans. The cores of each node compute the scan of their own vectors, in rounds of
// distances 1, 2, 4, ..., and get the sum of the node from its last core. Among nodes, the partial
// sums of schedules/patterns/census.hpp, without those that would wrap around, give each node the
// sum of all nodes before it: its cores receive sums of different nodes, combine them in a binomial
// tree, and share the result. All sums are in rank order.
//
// Source: the communication pattern of Bienz, Olson and Gropp, "Node-aware improvements to
// allreduce", ExaMPI 2019 (see schedules/patterns/nodes.hpp).
#pragma once

#include "schedules/algorithm.hpp"
#include "schedules/patterns/doubling_scan.hpp"
#include "schedules/patterns/nodes.hpp"

namespace tutti { inline namespace schedules {

void emit_node_scan(const NodeShape& shape, ScheduleBuilder& builder, Own own);

// Implements Algorithm::refusal and Algorithm::limits.
[[nodiscard]] std::optional<Sentence> refuse_scan_nodes(const Problem& problem);
inline constexpr std::array<std::string_view, 6> kScanNodeLimits{
    kNodeLimits[0], kNodeLimits[1], kNodeLimits[2],
    kNodeLimits[3], kNodeLimits[4], "$groups of ranks that are not consecutive"};

// The algorithm node_aware of scan (with Own::taken) and of exscan.
template <Own kOwn>
struct NodeAwareScan {
  static constexpr Algorithm algorithm(Collective collective) {
    Algorithm own = NodeAware<emit>::algorithm({
        .collective = collective,
        .name = "node_aware",
        .idea = "the cores of a node exchange sums of nodes with different nodes, and combine them "
                "with the scan within the node",
        .source = "Bienz, Olson and Gropp, ExaMPI 2019",
        .cost = "",
        .keeps_order = always,
        .order_kept = "always",
        .layout = one_block,
    });
    own.refusal = refuse_scan_nodes;
    own.limits = kScanNodeLimits;
    return own;
  }

 private:
  static void emit(const NodeShape& shape, ScheduleBuilder& builder) {
    emit_node_scan(shape, builder, kOwn);
  }
};

}}  // namespace tutti::schedules
