// Lists the figures of a run, with their names, for all code that writes or reads results. The list
// omits figures that follow from the problem and the prices (price() in
// src/simulation/run_result.hpp computes them).
#pragma once

#include <string>
#include <string_view>

#include "src/simulation/run_result.hpp"

namespace tutti::inline simulation {

// Calls visit(name, value) for each figure of `result`, a RunResult that may be const.
template <typename Result, typename Visit>
void for_each_figure(Result& result, Visit&& visit) {
  visit("ops", result.ops);
  visit("dependencies", result.dependencies);
  visit("messages", result.messages);
  visit("bytes_sent", result.bytes_sent);
  visit("bytes_reduced", result.bytes_reduced);
  visit("rounds", result.rounds);
  visit("blocks", result.blocks);
  visit("smallest_block_bytes", result.smallest_block_bytes);
  visit("largest_block_bytes", result.largest_block_bytes);
  visit("simulated_s", result.simulated_s);
  visit("longest_path_s", result.longest_path_s);
  visit("waited", result.waited);
  visit("chain_ops", result.chain_ops);
  result.chain.spent.each([&](Spending on, auto& seconds) {
    const std::string figure = "chain_" + std::string(name(on)) + "_s";
    visit(std::string_view(figure), seconds);
  });
  visit("emit_wall_s", result.emit_wall_s);
  visit("load_wall_s", result.load_wall_s);
  visit("simulate_wall_s", result.simulate_wall_s);
  visit("peak_rss_bytes", result.peak_rss_bytes);
  auto& facts = result.described.facts;
  visit("hosts", facts.hosts);
  visit("hosts_used", facts.hosts_used);
  visit("latency_s", facts.latency_s);
  visit("fastest_latency_s", facts.fastest_latency_s);
  visit("bandwidth_bytes_per_s", facts.bandwidth_bytes_per_s);
  visit("widest_bandwidth_bytes_per_s", facts.widest_bandwidth_bytes_per_s);
  visit("speed_flops_per_s", facts.speed_flops_per_s);
  visit("fastest_speed_flops_per_s", facts.fastest_speed_flops_per_s);
  visit("routes_looked_at", facts.routes_looked_at);
  auto& prices = result.described.prices;
  visit("alpha_s", prices.alpha_s);
  visit("beta_s_per_byte", prices.beta_s_per_byte);
  visit("gamma_s_per_byte", prices.gamma_s_per_byte);
  visit("copy_s_per_byte", prices.copy_s_per_byte);
}

}  // namespace tutti::inline simulation
