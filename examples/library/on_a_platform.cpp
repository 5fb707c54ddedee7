// Proves each allreduce on 16 ranks, simulates it on a platform file, and says which message of the
// fastest arrives last.
#include <cstdio>
#include <optional>

#include "base/error.hpp"
#include "platforms/cluster_file.hpp"
#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "simulation/run_result.hpp"

int main(int count, char** arguments) try {
  if (count != 2) {
    std::fprintf(stderr, "usage: on_a_platform FILE.xml\n");
    return 2;
  }
  const tutti::Problem problem{.ranks = 16, .bytes = 1 << 20};
  tutti::Machine machine;
  machine.source.file = arguments[1];
  machine.cluster = tutti::read_cluster_file(arguments[1]);  // null: SimGrid must load it
  machine.mapping.ranks = problem.ranks;
  tutti::choose_engine(machine);  // the one that is exact and fast

  std::optional<tutti::Simulation> fastest;
  for (const tutti::Algorithm* algorithm : tutti::algorithms()) {
    if (algorithm->collective != problem.collective) {
      continue;
    }
    // With payload each operation is simulated, and says what it moves.
    tutti::Simulation done = tutti::simulate(*algorithm, problem, machine, tutti::Detail::payload);
    const bool proved = tutti::verify(*done.schedule).proved();
    std::printf("%-34s %s %9.3f us\n", algorithm->full_name().c_str(), proved ? "proved" : "WRONG ",
                1e6 * done.result.simulated_s);
    if (!fastest || done.result.simulated_s < fastest->result.simulated_s) {
      fastest = std::move(done);
    }
  }
  const tutti::Schedule& schedule = *fastest->schedule;
  for (tutti::OpId id = 0; id < schedule.size(); ++id) {
    const tutti::Op& op = schedule.op(id);
    if (op.is_comm() && fastest->timeline.end_s[id] == fastest->timeline.total_s) {
      std::printf("fastest: %s; its last message goes from %u to %u, at %.3f us\n",
                  fastest->result.algorithm->full_name().c_str(), op.src(), op.dst(),
                  1e6 * fastest->timeline.start_s[id]);
      break;
    }
  }
} catch (const tutti::UserError& error) {
  std::fprintf(stderr, "on_a_platform: %s\n", error.what());
  return 2;
}
