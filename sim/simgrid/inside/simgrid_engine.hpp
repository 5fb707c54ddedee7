// Replays a schedule on a platform that SimGrid simulates. Messages become host-to-host
// communications, and reductions and copies with a price become executions on the rank's host.
#pragma once

#include <span>
#include <string>

#include "base/error.hpp"
#include "platforms/simgrid/simgrid_platform.hpp"
#include "sim/engine.hpp"

namespace tutti { inline namespace sim {

// Thrown if an operation failed because a profile of the platform switched something off.
struct SwitchedOff {
  bool is_host = false;   // false: a link
  std::string name;       // SimGrid's name of the host or the link
  std::string operation;  // "the message from rank 0 to rank 1"
  double time_s = 0;      // when the operation failed
};

// Thrown if SimGrid ended before all operations did.
class UnfinishedRun : public InvariantError {
 public:
  using InvariantError::InvariantError;
};

// An engine that runs in the process that loaded the platform. SimGrid's clock goes on from run to
// run, so the start time of a run is subtracted, which costs digits. If a relative error of 1e-9
// matters, each run must be in a new fork, as in simulate_isolated().
class SimGridEngine final : public Engine {
 public:
  // `hosts` must outlive the engine.
  explicit SimGridEngine(const RankHosts& hosts, double copy_s_per_byte = 0,
                         Updates updates = Updates::lazy)
      : hosts_(hosts), copy_s_per_byte_(copy_s_per_byte), updates_(updates) {}

  [[nodiscard]] std::string_view name() const override { return "simgrid"; }
  [[nodiscard]] Timeline run(const Schedule& schedule, const RunSetup& setup) override;

  // Writes the start and the end of each operation into the given arrays, which may be in shared
  // memory. Returns the latest end. Throws SwitchedOff or UnfinishedRun.
  double run_into(const Schedule& schedule, const RunSetup& setup, std::span<double> start_s,
                  std::span<double> end_s);

 private:
  const RankHosts& hosts_;
  double copy_s_per_byte_;
  Updates updates_;
};

}}  // namespace tutti::sim
