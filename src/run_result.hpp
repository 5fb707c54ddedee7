// Everything that one simulated run has to say, before it is put in words or in JSON.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cost_models/lower_bounds.hpp"
#include "cost_models/published.hpp"
#include "schedules/algorithm.hpp"
#include "src/critical_chain.hpp"
#include "src/flow_run.hpp"
#include "src/machine_options.hpp"

namespace tutti {

struct RunResult {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  Machine machine;
  MachineFacts described;

  std::uint64_t ops = 0;
  std::uint64_t dependencies = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_reduced = 0;
  std::uint32_t rounds = 0;
  std::uint32_t blocks = 1;
  std::uint64_t smallest_block_bytes = 0;
  std::uint64_t largest_block_bytes = 0;

  double simulated_s = 0;
  double longest_path_s = 0;  // with ports and cores counted in
  std::optional<double> exact_s;
  std::vector<PublishedCost> published;
  LowerBounds bounds;
  CriticalChain chain;

  // Where both engines were asked for.
  std::optional<EngineComparison> comparison;
  std::vector<NamedLinkStatistics> links;  // where asked for

  double emit_wall_s = 0;
  double load_wall_s = 0;
  double simulate_wall_s = 0;
  std::uint64_t peak_rss_bytes = 0;

  [[nodiscard]] bool even_blocks() const { return smallest_block_bytes == largest_block_bytes; }
  // The formula to believe: the first published one that is no misprint.
  [[nodiscard]] const PublishedCost* main_published() const;
};

// (value - reference) / reference; 0 when both are 0, nothing when only the reference is.
[[nodiscard]] std::optional<double> relative_error(double value, double reference);

struct Simulation {
  Schedule schedule;
  Timeline timeline;
  RunResult result;
};

// Emits, runs, and prices. Throws UserError.
[[nodiscard]] Simulation simulate(const Algorithm& algorithm, const Problem& problem,
                                  const Machine& machine, Detail detail);

// For people.
void print_result(const RunResult& result, std::ostream& out);
// One object, schema tutti-result/1.
void write_result_json(const RunResult& result, std::ostream& out);
// A line of names and a line of values, named as in the JSON.
void write_result_csv(const RunResult& result, std::ostream& out);

}  // namespace tutti
