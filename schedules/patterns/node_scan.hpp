// Node-aware scans. The cores of each node compute the scan of their own vectors, in rounds of
// distances 1, 2, 4, ..., and get the sum of the node from its last core. Among nodes, the partial
// sums of schedules/patterns/census.hpp, without those that would wrap around, give each node the
// sum of all nodes before it: its cores receive sums of different nodes, combine them in a binomial
// tree, and share the result. All sums are in rank order.
//
// Source: the communication pattern of Bienz, Olson and Gropp, "Node-aware improvements to
// allreduce", ExaMPI 2019 (see schedules/patterns/nodes.hpp).
#pragma once

#include "schedules/patterns/doubling_scan.hpp"
#include "schedules/patterns/nodes.hpp"

namespace tutti { inline namespace schedules {

void emit_node_scan(const NodeShape& shape, ScheduleBuilder& builder, Own own);

// Implements Algorithm::refusal and Algorithm::limits.
[[nodiscard]] std::optional<Sentence> refuse_scan_nodes(const Problem& problem);
inline constexpr std::array<std::string_view, 6> kScanNodeLimits{
    kNodeLimits[0], kNodeLimits[1], kNodeLimits[2],
    kNodeLimits[3], kNodeLimits[4], "$groups of ranks that are not consecutive"};

}}  // namespace tutti::schedules
