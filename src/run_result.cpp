#include "src/run_result.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "schedules/error.hpp"
#include "sim/critical_path/critical_path_engine.hpp"

namespace tutti {

namespace {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

std::uint64_t own_peak_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void take_facts(RunResult& result, const Schedule& schedule) {
  result.ops = schedule.size();
  result.dependencies = schedule.dependencies();
  result.messages = schedule.messages();
  result.bytes_sent = schedule.bytes_sent();
  result.bytes_reduced = schedule.bytes_reduced();
  result.rounds = schedule.rounds();
  result.blocks = schedule.blocks();
  result.smallest_block_bytes = result.largest_block_bytes = schedule.layout().size_bytes(0);
  for (std::uint32_t block = 1; block < schedule.blocks(); ++block) {
    const std::uint64_t bytes = schedule.layout().size_bytes(block);
    result.smallest_block_bytes = std::min(result.smallest_block_bytes, bytes);
    result.largest_block_bytes = std::max(result.largest_block_bytes, bytes);
  }
}

// What follows from problem and prices alone.
void price(RunResult& result) {
  const Prices& prices = result.described.prices;
  if (result.algorithm->exact_s != nullptr) {
    result.exact_s = result.algorithm->exact_s(result.problem, prices);
  }
  if (result.file.empty()) {  // nobody published a formula for what a file holds
    result.published = published_costs(*result.algorithm, result.problem, prices);
  }
  result.bounds = lower_bounds(result.problem, prices);
}

// One list of fields, for both directions.
template <typename Result, typename Visit>
void for_each_number(Result& result, Visit&& visit) {
  visit(result.ops);
  visit(result.dependencies);
  visit(result.messages);
  visit(result.bytes_sent);
  visit(result.bytes_reduced);
  visit(result.rounds);
  visit(result.blocks);
  visit(result.smallest_block_bytes);
  visit(result.largest_block_bytes);
  visit(result.simulated_s);
  visit(result.longest_path_s);
  visit(result.chain_ops);
  visit(result.chain.startup_s);
  visit(result.chain.transfer_s);
  visit(result.chain.reduce_s);
  visit(result.chain.copy_s);
  visit(result.chain.network_s);
  visit(result.chain.waiting_s);
  visit(result.emit_wall_s);
  visit(result.load_wall_s);
  visit(result.simulate_wall_s);
  visit(result.peak_rss_bytes);
  auto& facts = result.described.facts;
  visit(facts.hosts);
  visit(facts.hosts_used);
  visit(facts.latency_s);
  visit(facts.fastest_latency_s);
  visit(facts.bandwidth_bytes_per_s);
  visit(facts.widest_bandwidth_bytes_per_s);
  visit(facts.speed_flops_per_s);
  visit(facts.fastest_speed_flops_per_s);
  visit(facts.routes_looked_at);
  auto& prices = result.described.prices;
  visit(prices.alpha_s);
  visit(prices.beta_s_per_byte);
  visit(prices.gamma_s_per_byte);
  visit(prices.copy_s_per_byte);
}

}  // namespace

const PublishedCost* RunResult::main_published() const {
  for (const PublishedCost& cost : published) {
    if (!cost.misprint && cost.seconds) {
      return &cost;
    }
  }
  return nullptr;
}

std::optional<double> relative_error(double value, double reference) {
  if (reference == 0) {
    return value == 0 ? std::optional(0.0) : std::nullopt;
  }
  return (value - reference) / reference;
}

bool differs(double value, double reference) {
  constexpr double kEqual = 1e-9;
  return std::fabs(value - reference) > kEqual * std::max(std::fabs(value), std::fabs(reference));
}

std::string options_text(const Algorithm& algorithm, const Problem& problem) {
  std::vector<std::string> options;
  const auto takes = [&](Option option) {
    return (algorithm.options & static_cast<unsigned>(option)) != 0;
  };
  if (takes(Option::fold)) {
    options.emplace_back(problem.fold == Fold::far ? "--fold far" : "--fold neighbours");
  }
  if (takes(Option::segment) && problem.segment_bytes != 0) {
    options.push_back(fmt::format("--segment {}", problem.segment_bytes));
  }
  if (takes(Option::skips)) {
    options.push_back(fmt::format("--skips {}", problem.skips));
  }
  if (takes(Option::tree)) {
    options.push_back(fmt::format("--tree {}", problem.tree));
  }
  if (takes(Option::ranks_per_node) && problem.ranks_per_node > 1) {
    options.push_back(fmt::format("--cores-per-node {}", problem.ranks_per_node));
  }
  if (takes(Option::block_sizes) && !problem.block_bytes.empty()) {
    options.push_back(fmt::format("--block-bytes {}", fmt::join(problem.block_bytes, ",")));
  }
  return fmt::format("{}", fmt::join(options, " "));
}

EngineRun run_critical_path(const Schedule& schedule, const Machine& machine,
                            const MachineFacts& facts) {
  EngineRun run;
  run.machine = facts;
  const Stopwatch watch;
  run.timeline = CriticalPathEngine(facts.prices).run(schedule, machine.setup);
  run.simulate_s = watch.seconds();
  return run;
}

namespace {

RunEngine engine_of(const Machine& machine) {
  return [&machine](const Schedule& schedule) {
    if (machine.engine == EngineKind::simgrid) {
      return run_with_simgrid(schedule, machine);
    }
    const Stopwatch watch;
    const MachineFacts facts = describe(machine);
    const double load_s = watch.seconds();
    EngineRun run = run_critical_path(schedule, machine, facts);
    run.load_s = load_s;
    return run;
  };
}

// `result` knows its algorithm, problem and machine.
Simulation run(RunResult result, Schedule schedule, const RunEngine& engine) {
  take_facts(result, schedule);
  EngineRun run = engine(schedule);
  Timeline timeline = std::move(run.timeline);
  result.described = std::move(run.machine);
  result.load_wall_s = run.load_s;
  result.simulate_wall_s = run.simulate_s;
  const Prices& prices = result.described.prices;
  result.simulated_s = timeline.total_s;
  result.longest_path_s =
      result.machine.engine == EngineKind::critical_path
          ? timeline.total_s
          : CriticalPathEngine(prices).run(schedule, result.machine.setup).total_s;
  price(result);
  result.chain = critical_chain(schedule, timeline, prices);
  result.chain_ops = result.chain.ops.size();
  result.peak_rss_bytes = std::max(own_peak_rss_bytes(), run.peak_rss_bytes);
  return {std::move(schedule), std::move(timeline), std::move(result)};
}

}  // namespace

Simulation simulate(const Algorithm& algorithm, const Problem& problem, const Machine& machine,
                    Detail detail) {
  return simulate(algorithm, problem, machine, detail, engine_of(machine));
}

Simulation simulate(const Algorithm& algorithm, const Problem& problem, const Machine& machine,
                    Detail detail, const RunEngine& engine) {
  RunResult result;
  result.algorithm = &algorithm;
  result.problem = problem;
  result.machine = machine;

  const Stopwatch emit_watch;
  Schedule schedule = make_schedule(algorithm, problem, detail);
  result.emit_wall_s = emit_watch.seconds();
  return run(std::move(result), std::move(schedule), engine);
}

Simulation simulate_file(const std::string& file, const Algorithm& algorithm, Schedule schedule,
                         const Machine& machine, double read_wall_s) {
  RunResult result;
  result.algorithm = &algorithm;
  result.problem = schedule.problem();
  result.file = file;
  result.machine = machine;
  result.emit_wall_s = read_wall_s;
  return run(std::move(result), std::move(schedule), engine_of(machine));
}

std::string pack_result(const RunResult& result) {
  std::string bytes;
  for_each_number(result, [&bytes](const auto& value) {
    static_assert(std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  });
  return bytes + result.described.facts.name;
}

RunResult unpack_result(const std::string& bytes, const Algorithm& algorithm,
                        const Problem& problem, const Machine& machine) {
  RunResult result;
  result.algorithm = &algorithm;
  result.problem = problem;
  result.machine = machine;
  std::size_t at = 0;
  for_each_number(result, [&](auto& value) {
    TUTTI_INVARIANT(bytes.size() - at >= sizeof value);
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
  });
  result.described.facts.name = bytes.substr(at);
  price(result);
  return result;
}

}  // namespace tutti
