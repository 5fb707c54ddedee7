// The parts of the values that a process with SimGrid sends to its parent, for
// sim/packed_bytes.hpp.
#pragma once

#include <concepts>
#include <type_traits>

#include "sim/simgrid/simgrid_side.hpp"

namespace tutti { inline namespace sim {

template <typename Value, typename Type>
concept ConstOrNot = std::same_as<std::remove_const_t<Value>, Type>;

void for_each_part(ConstOrNot<PlatformFacts> auto& facts, auto& visit) {
  visit(facts.name);
  visit(facts.hosts);
  visit(facts.hosts_used);
  visit(facts.latency_s);
  visit(facts.fastest_latency_s);
  visit(facts.bandwidth_bytes_per_s);
  visit(facts.widest_bandwidth_bytes_per_s);
  visit(facts.speed_flops_per_s);
  visit(facts.fastest_speed_flops_per_s);
  visit(facts.routes_looked_at);
  visit(facts.notes);
}

void for_each_part(ConstOrNot<NamedLinkStatistics> auto& link, auto& visit) {
  visit(link.statistics);
  visit(link.name);
  visit(link.place.name);
  visit(link.place.group);
  visit(link.acknowledges);
  visit(link.senders);
  visit(link.levels);
}

void for_each_part(ConstOrNot<RouteList> auto& list, auto& visit) {
  visit(list.src_host);
  visit(list.dst_host);
  visit(list.starts);
  visit(list.links);
}

void for_each_part(ConstOrNot<SimGridReport> auto& report, auto& visit) {
  visit(report.facts);
  visit(report.total_s);
  visit(report.load_s);
  visit(report.simulate_s);
  visit(report.waited);
  visit(report.ties);
  visit(report.repeats);
  visit(report.links);
  visit(report.record.stretches);
  visit(report.record.loads);
  visit(report.arrival_s);
  visit(report.alone.routes);
  visit(report.alone.route_of_op);
  visit(report.alone.reduce_s_per_byte);
  visit(report.alone.copy_s_per_byte);
  visit(report.routes.host_of_rank);
  visit(report.routes.used);
  visit(report.routes.others);
}

void for_each_part(ConstOrNot<HopLists> auto& lists, auto& visit) {
  visit(lists.starts);
  visit(lists.hops);
}

void for_each_part(ConstOrNot<RouteSet> auto& set, auto& visit) {
  visit(set.numbers);
  visit(set.hosts);
  visit(set.links);
  visit(set.link_names);
  visit(set.figures);
  visit(set.first_hops);
  visit(set.last_hops);
  visit(set.forms);
  visit(set.hops_of_forms);
  visit(set.row_of_host);
  visit(set.forms_of_rows);
  visit(set.own_forms);
}

void for_each_part(ConstOrNot<SimGridRoutes> auto& of, auto& visit) {
  visit(of.routes);
  visit(of.host_of_rank);
  visit(of.flops_per_byte);
  visit(of.free_transfers);
  visit(of.facts);
  visit(of.load_s);
}

}}  // namespace tutti::sim
