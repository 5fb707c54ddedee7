#include "src/sweep/cell_engine.hpp"

#include <fmt/format.h>

#include "schedules/error.hpp"
#include "src/flow_run.hpp"

namespace tutti {

namespace {

constexpr std::size_t kMostFactsKept = 1000;

// The machine of a cell, whatever the cell is: what has to be loaded for it.
std::string machine_line(const Cell& cell, bool with_ranks) {
  Cell same = cell;
  same.problem = Problem{};
  same.problem.collective = cell.problem.collective;
  same.problem.element_bytes = cell.problem.element_bytes;
  if (with_ranks) {
    same.problem.ranks = cell.problem.ranks;
  } else {
    same.machine.mapping.ranks = 0;
    same.machine.source.crossbar.hosts = 0;
  }
  return to_line(same, "");
}

RunResult simulate_times(const Cell& cell, const RunEngine& engine) {
  return simulate(*cell.algorithm, cell.problem, cell.machine, Detail::times_only, engine).result;
}

}  // namespace

CellAnswer CellEngine::run(const ReceivedCell& received) {
  try {
    const Cell& cell = received.cell;
    if (const std::string& here = ids_.of(cell.machine); here != received.platform_id) {
      throw UserError(fmt::format("{} is not the same file here ({}) as where the sweep began ({})",
                                  cell.machine.source.file, here, received.platform_id));
    }
    return answer_of(run_cell(cell));
  } catch (const UserError& error) {
    return {CellStatus::refused, error.what(), "", ""};
  } catch (const std::bad_alloc&) {
    return {CellStatus::failed, "out of memory", "", ""};
  } catch (const std::exception& error) {
    return {CellStatus::failed, error.what(), "", ""};
  }
}

RunResult CellEngine::run_cell(const Cell& cell) {
  if (runs_on_simgrid_platform(cell.machine)) {
    return run_on_simgrid_platform(cell);
  }
  return simulate_times(cell, [&](const Schedule& schedule) {
    return cell.machine.engine == EngineKind::flow
               ? run_with_flow(schedule, cell.machine)
               : run_critical_path(schedule, cell.machine, facts_of(cell));
  });
}

RunResult CellEngine::run_on_simgrid_platform(const Cell& cell) {
  const std::string wanted = machine_line(cell, false);
  const std::uint32_t hosts = cell.machine.source.crossbar.hosts;
  // A crossbar serves fewer hosts as well.
  if (!simgrid_ || wanted != loaded_ || hosts > loaded_hosts_) {
    simgrid_.reset();
    simgrid_ = std::make_unique<SimGridRuns>(
        cell.machine, [](const std::string& line, const RunEngine& engine) {
          return pack_result(simulate_times(cell_of_line(line).cell, engine));
        });
    loaded_ = wanted;
    loaded_hosts_ = hosts;
  }
  RunResult result =
      unpack_result(simgrid_->run(to_line(cell, "")), *cell.algorithm, cell.problem, cell.machine);
  if (cell.machine.built_in()) {
    const PlatformFacts own = describe(cell.machine).facts;
    result.described.facts.name = own.name;
    result.described.facts.hosts = own.hosts;
  }
  return result;
}

const MachineFacts& CellEngine::facts_of(const Cell& cell) {
  if (facts_.size() > kMostFactsKept) {
    facts_.clear();
  }
  const auto [at, added] = facts_.try_emplace(machine_line(cell, true));
  if (added) {
    try {
      at->second = describe(cell.machine);
    } catch (...) {
      facts_.erase(at);
      throw;
    }
  }
  return at->second;
}

}  // namespace tutti
