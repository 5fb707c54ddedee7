#include "src/experiments/sweep/cell_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/outcome_json.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::size_t kMostFactsKept = 1000;

// Returns the part of the platform's id that depends on the contents of files.
std::string contents_of(const ReceivedCell& received) {
  const std::string& id = received.platform_id;
  return received.machine->built_in() ? id.substr(std::min(id.find(",parameters="), id.size()))
                                      : id;
}

// Returns a text that identifies the machine of a cell. If `with_ranks` is false, machines that
// differ only in the number of ranks, or in the number of hosts of a crossbar, have the same text.
// Machines whose files have other contents have other texts.
std::string machine_line(const ReceivedCell& received, bool with_ranks) {
  const Problem& problem = received.cell.problem;
  Machine machine = *received.machine;
  if (!with_ranks) {
    machine.spec.source.crossbar.hosts = 0;
  }
  return fmt::format("{} {} {}", machine_text(machine, contents_of(received)),
                     problem.element_bytes, with_ranks ? problem.ranks : 0);
}

// Returns the memory, in bytes, for the schedule cache of one worker. Assumes as many workers as
// processors.
std::size_t share_of_memory() {
  return usable_memory_bytes() / 4 / std::max(1U, std::thread::hardware_concurrency());
}

RunResult simulate_times(const Case& cell, const RunEngine& engine) {
  Simulation done =
      simulate(*cell.algorithm, cell.problem, *cell.machine, Detail::times_only, engine);
  done.result.schedule = fingerprint_of(done);
  return std::move(done.result);
}

}  // namespace

CellEngine::CellEngine() : cache_(share_of_memory()) {}

Outcome CellEngine::run(const ReceivedCell& received) {
  const MachineSpec& spec = received.machine->spec;
  if (spec.built_in() && spec.parameters.empty()) {  // the reader has checked files
    try {
      check_platform_id(spec, received.platform_id);
    } catch (const UserError& error) {
      return Failure{error.what()};
    }
  }
  return outcome_of([&] { return run_cell(received); });
}

Outcome CellEngine::run_cell(const ReceivedCell& received) {
  const Case& cell = received.cell;
  const Machine& machine = *cell.machine;
  // SimGrid cannot run in-network algorithms. Such algorithms are refused below, without starting a
  // process.
  if (runs_on_simgrid_platform(machine) && !cell.algorithm->in_network()) {
    return run_on_simgrid_platform(received);
  }
  ScheduleCache::Place* const place = takes_whole_schedule(*cell.algorithm, cell.problem, machine)
                                          ? cache_.expect_more_like(*cell.algorithm, cell.problem)
                                          : nullptr;
  return simulate_times(
      *cell.algorithm, cell.problem, machine,
      engine_of(machine, machine.engine->has_network ? nullptr : &facts_of(received)), cache_,
      place, Fingerprint::taken);
}

Outcome CellEngine::run_on_simgrid_platform(const ReceivedCell& received) {
  const Case& cell = received.cell;
  // With measured costs, it matters which ranks share a node. This depends on the number of ranks.
  const std::string wanted = machine_line(received, cell.machine->setup.curves != nullptr);
  const std::uint32_t hosts = cell.machine->spec.source.crossbar.hosts;
  // A loaded crossbar also serves cells that need fewer hosts.
  if (!simgrid_ || wanted != loaded_ || hosts > loaded_hosts_) {
    simgrid_.reset();
    // This reader is used only in the process that SimGridRuns starts.
    const auto reader = std::make_shared<CellReader>();
    simgrid_ = std::make_unique<SimGridRuns>(
        *cell.machine, [reader](const std::string& line, const RunEngine& engine) {
          const ReceivedCell read = reader->read(line);
          return outcome_line(outcome_of([&] { return simulate_times(read.cell, engine); }));
        });
    try {
      check_platform_id(cell.machine->spec, received.platform_id);
    } catch (const UserError& error) {
      simgrid_.reset();  // the files may have changed while SimGrid loaded them
      return Failure{error.what()};
    }
    loaded_ = wanted;
    loaded_hosts_ = hosts;
  }
  return outcome_of_line(
      cell, simgrid_->run(to_line(cell, machine_text(*cell.machine, received.platform_id))));
}

const MachineFacts& CellEngine::facts_of(const ReceivedCell& received) {
  if (facts_.size() > kMostFactsKept) {
    facts_.clear();
  }
  std::string machine = machine_line(received, true);
  auto at = facts_.find(machine);
  if (at == facts_.end()) {
    at = facts_.emplace(std::move(machine), describe(*received.machine)).first;
  }
  return at->second;
}

}}  // namespace tutti::experiments
