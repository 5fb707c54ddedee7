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

// Returns a text that identifies the machine of a cell. If `with_ranks` is false, machines that
// differ only in the number of ranks, or in the number of hosts of a crossbar, have the same text.
std::string machine_line(const Case& cell, bool with_ranks) {
  Machine machine = *cell.machine;
  if (!with_ranks) {
    machine.spec.source.crossbar.hosts = 0;
  }
  return fmt::format("{} {} {}", machine_text(machine, ""), cell.problem.element_bytes,
                     with_ranks ? cell.problem.ranks : 0);
}

// Returns the memory, in bytes, for the schedule cache of one worker. Assumes as many workers as
// processors.
std::size_t share_of_memory() {
  return physical_memory_bytes() / 4 / std::max(1U, std::thread::hardware_concurrency());
}

RunResult simulate_times(const Case& cell, const RunEngine& engine) {
  Simulation done =
      simulate(*cell.algorithm, cell.problem, *cell.machine, Detail::times_only, engine);
  done.result.schedule = fingerprint_of(done);
  return std::move(done.result);
}

}  // namespace

CellEngine::CellEngine() : cache_(share_of_memory()) {}

void CellEngine::check_files(const ReceivedCell& received) {
  const Machine& machine = *received.machine;
  if (const std::string& here = ids_.of(machine); here != received.platform_id) {
    std::vector<std::string> files;
    for (const std::string& file : {machine.spec.source.file, machine.spec.parameters}) {
      if (!file.empty()) {
        files.push_back(file);
      }
    }
    throw UserError(fmt::format("{} is not the same file here ({}) as where the sweep began ({})",
                                fmt::join(files, " or "), here, received.platform_id));
  }
}

Outcome CellEngine::run(const ReceivedCell& received) {
  try {
    check_files(received);
  } catch (const UserError& error) {
    // The fault is in the files on this host and not in the cell, so this is a failure and not a
    // refusal.
    return Failure{fmt::format("{}; $retry_failed tries again", error.what())};
  }
  return outcome_of([&] { return run_cell(received.cell); });
}

Outcome CellEngine::run_cell(const Case& cell) {
  const Machine& machine = *cell.machine;
  // SimGrid cannot run in-network algorithms. Such algorithms are refused below, without starting a
  // process.
  if (runs_on_simgrid_platform(machine) && !cell.algorithm->in_network()) {
    return run_on_simgrid_platform(cell);
  }
  ScheduleCache::Place* const place = takes_whole_schedule(*cell.algorithm, cell.problem, machine)
                                          ? cache_.expect_more_like(*cell.algorithm, cell.problem)
                                          : nullptr;
  return simulate_times(*cell.algorithm, cell.problem, machine,
                        engine_of(machine, machine.engine->has_network ? nullptr : &facts_of(cell)),
                        cache_, place, Fingerprint::taken);
}

Outcome CellEngine::run_on_simgrid_platform(const Case& cell) {
  // With measured costs, it matters which ranks share a node. This depends on the number of ranks.
  const std::string wanted = machine_line(cell, cell.machine->setup.curves != nullptr);
  const std::uint32_t hosts = cell.machine->spec.source.crossbar.hosts;
  // A loaded crossbar also serves cells that need fewer hosts.
  if (!simgrid_ || wanted != loaded_ || hosts > loaded_hosts_) {
    simgrid_.reset();
    // This reader is used only in the process that SimGridRuns starts.
    const auto reader = std::make_shared<CellReader>();
    simgrid_ = std::make_unique<SimGridRuns>(
        *cell.machine, [reader](const std::string& line, const RunEngine& engine) {
          const ReceivedCell received = reader->read(line);
          return outcome_line(outcome_of([&] { return simulate_times(received.cell, engine); }));
        });
    loaded_ = wanted;
    loaded_hosts_ = hosts;
  }
  return outcome_of_line(cell, simgrid_->run(to_line(cell, machine_text(*cell.machine, ""))));
}

const MachineFacts& CellEngine::facts_of(const Case& cell) {
  if (facts_.size() > kMostFactsKept) {
    facts_.clear();
  }
  std::string machine = machine_line(cell, true);
  auto at = facts_.find(machine);
  if (at == facts_.end()) {
    at = facts_.emplace(std::move(machine), describe(*cell.machine)).first;
  }
  return at->second;
}

}}  // namespace tutti::experiments
