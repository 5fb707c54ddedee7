// JSON form (schema tutti-cell-answer/1) in which outcomes are sent between processes and results
// are stored in databases.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace simulation {

// A string_view, because nlohmann allocates in a noexcept function when it compares JSON with a
// char pointer.
inline constexpr std::string_view kOutcomeSchema = "tutti-cell-answer/1";

// Calls visit(name, value) for each figure of `result`, a RunResult that may be const. All code
// that writes or reads results uses this list. The list omits figures that follow from the problem
// and the prices (price() in src/simulation/run_result.hpp computes them).
template <typename Result, typename Visit>
void for_each_figure(Result& result, Visit&& visit) {
  visit("ops", result.ops);
  visit("dependencies", result.dependencies);
  visit("messages", result.messages);
  visit("bytes_sent", result.bytes_sent);
  visit("bytes_reduced", result.bytes_reduced);
  visit("rounds", result.rounds);
  visit("blocks", result.blocks);
  // Databases of earlier versions have only these sizes, under these names.
  visit("smallest_block_bytes", result.smallest_owned_bytes);
  visit("largest_block_bytes", result.largest_owned_bytes);
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

// True for a figure that effort_json() returns.
[[nodiscard]] inline bool is_effort(std::string_view figure) {
  return figure.ends_with("_wall_s") || figure == "peak_rss_bytes";
}

// figures_json() returns the results, which are the same in every run. effort_json() returns the
// wall-clock times and the memory that the run took. Neither includes the operations of the
// critical chain.
[[nodiscard]] nlohmann::ordered_json figures_json(const RunResult& result);
[[nodiscard]] nlohmann::ordered_json effort_json(const RunResult& result);
// Restores the result of a case. Recomputes the values that follow from the problem and the prices.
// Throws UserError if `figures` or `effort` are invalid.
[[nodiscard]] RunResult result_of(const Case& what, const nlohmann::json& figures,
                                  const nlohmann::json& effort);

// Returns the outcome as one line of JSON. The case must have run.
[[nodiscard]] std::string outcome_line(const Outcome& outcome);
// Restores an outcome. Throws UserError if `json` is invalid.
[[nodiscard]] Outcome outcome_of(const Case& what, const nlohmann::json& json);
// Restores an outcome from a line that outcome_line() has written.
[[nodiscard]] Outcome outcome_of_line(const Case& what, const std::string& line);

}}  // namespace tutti::simulation
