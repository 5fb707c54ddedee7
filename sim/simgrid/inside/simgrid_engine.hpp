// Replays a schedule on a platform that SimGrid simulates: messages as host-to-host
// communications, reductions and priced copies as executions on the rank's host.
#pragma once

#include <span>

#include "platforms/simgrid/simgrid_platform.hpp"
#include "sim/engine.hpp"

namespace tutti::inline sim {

// Runs in the process that loaded the platform. SimGrid's clock goes on from run to run, and
// subtracting its start costs digits. Fork for each run if 1e-9 matters, as simulate_isolated()
// does.
class SimGridEngine final : public Engine {
 public:
  // `hosts` must outlive the engine.
  explicit SimGridEngine(const RankHosts& hosts, double copy_s_per_byte = 0,
                         Updates updates = Updates::lazy)
      : hosts_(hosts), copy_s_per_byte_(copy_s_per_byte), updates_(updates) {}

  [[nodiscard]] std::string_view name() const override { return "simgrid"; }
  [[nodiscard]] Timeline run(const Schedule& schedule, const RunSetup& setup) override;

  // Writes the times of each operation into the given arrays, which may be in shared memory.
  // Returns the last end.
  double run_into(const Schedule& schedule, const RunSetup& setup, std::span<double> start_s,
                  std::span<double> end_s);

 private:
  const RankHosts& hosts_;
  double copy_s_per_byte_;
  Updates updates_;
};

}  // namespace tutti::inline sim
