// Goals for tests of the search.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "schedules/registry.hpp"
#include "src/search/family.hpp"
#include "src/simulation/machine_bound.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"

namespace tutti {

// A goal and its machine. All algorithms with their default options are known, in the order of the
// registry and without times.
struct TestGoal {
  Machine machine;
  Goal goal;

  TestGoal(const std::string& platform, Collective collective, std::uint32_t ranks,
           std::uint64_t bytes, std::uint32_t ports = 1, std::uint32_t ranks_per_host = 1) {
    if (!platform.empty()) {
      const std::filesystem::path folder = source_dir() + "/platforms";
      machine.spec.source.file = (folder / platform).string();
    }
    machine.setup.ports = ports;
    open_platform(machine.spec, machine.files);
    place_ranks(machine, ranks, ranks_per_host);
    choose_engine(machine);
    const MachineBounds bounds = bounds_of(machine);
    goal.problem = even_problem(collective, ranks, bytes);
    goal.machine = &machine;
    goal.network = bounds.network;
    goal.host_of_rank = bounds.setup.host_of_rank;
    goal.known = known(collective);
    if (collective == Collective::allreduce) {
      goal.reduce_scatters = known(Collective::reduce_scatter);
      goal.allgathers = known(Collective::allgather);
    }
  }
  TestGoal(const TestGoal&) = delete;
  TestGoal& operator=(const TestGoal&) = delete;

 private:
  [[nodiscard]] std::vector<KnownCase> known(Collective collective) const {
    std::vector<KnownCase> found;
    for (const Algorithm* algorithm : host_algorithms()) {
      Problem problem = goal.problem;
      problem.collective = collective;
      if (algorithm->collective == collective && !refuses(*algorithm, problem)) {
        found.push_back({algorithm, problem, 0});
      }
    }
    return found;
  }
};

}  // namespace tutti
