// Applies a message model (Machine::files.messages) to one run of the flow engine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/flow/flow_engine.hpp"
#include "sim/messages/message_model.hpp"
#include "sim/messages/message_network.hpp"
#include "sim/messages/message_parts.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace simulation {

// Returns the mean number of ranks on the hosts that ranks run on.
[[nodiscard]] double ranks_per_host(const std::vector<std::uint32_t>& host_of_rank);

// Returns the facts of a platform whose messages follow the message model, with the prices for
// formulas: alpha of a small message over the platform's slowest route, beta per byte of a large
// message, and the prices of reductions and copies for data in the caches.
[[nodiscard]] MachineFacts message_facts(const Machine& machine, PlatformFacts facts);

// Returns the time at which the first operation of a run can start, in seconds. The file of
// --parameters may contain cost curves or a message model.
[[nodiscard]] double run_starts_s(const Machine& machine, std::uint64_t bytes);

// Returns the parts of that time, for a message model. Some of them may be 0.
[[nodiscard]] std::vector<PartTime> library_parts(const Machine& machine, std::uint64_t bytes);

// The parameters that price reductions and copies in a run whose vectors have `bytes` bytes, with
// `per_host` ranks on a host.
struct LocalParts {
  MessagePart reduction = MessagePart::none;
  MessagePart copying = MessagePart::none;
};
[[nodiscard]] LocalParts local_parts(const Machine& machine, std::uint64_t bytes, double per_host);

// Returns the platform's `network` as messages of the message model see it.
[[nodiscard]] std::shared_ptr<MessageNetwork> message_network(
    const Machine& machine, std::shared_ptr<Network> network,
    const std::vector<std::uint32_t>& host_of_rank);

// Returns the work of a reduction per byte (FlowSetup::flops_per_byte) for vectors of `bytes`
// bytes.
[[nodiscard]] double flops_per_byte(const Machine& machine, std::uint64_t bytes,
                                    const std::vector<std::uint32_t>& host_of_rank);

// Adds the model's costs of sending and receiving to the platform's `network`. Stores the prices of
// local work in `setup`. Sets the start of the run in `run_setup` to the duration of the library's
// work before the schedule.
void send_messages(const Schedule& schedule, const Machine& machine,
                   std::shared_ptr<Network>& network, FlowSetup& setup, RunSetup& run_setup);

// The messages of a run that stay within hosts, or those between hosts, as far as parameters of the
// message model depend on them.
struct MessagesInRun {
  bool any = false;
  bool with_bytes = false;
  bool eager = false;  // eager messages with bytes
  bool buffered = false;
  bool with_handshake = false;
  bool medium = false;
  bool both_ways = false;

  void add(const MessageModel& model, std::uint64_t bytes);
};

// The message model as far as it determines the time of a run. Two models of which it is equal give
// exactly the same time.
struct ModelInRun {
  MessageModel model;  // parameters without effect on the run have their default values
  double start_s = 0;  // duration of the library's work before the schedule

  friend bool operator==(const ModelInRun&, const ModelInRun&) = default;
};

// Finds out on which parameters of the message model the runs of a schedule depend.
class ParametersInUse {
 public:
  // `machine` must have a message model.
  ParametersInUse(const Schedule& schedule, const Machine& machine);

  // Returns the model of `machine`, which differs from the machine above only in the model, as far
  // as it determines the time of the run.
  [[nodiscard]] ModelInRun model_of(const Machine& machine) const;

 private:
  std::uint64_t bytes_ = 0;
  std::vector<std::uint32_t> host_of_rank_;
  MessageModel scanned_;  // model whose protocols the members below belong to
  MessagesInRun within_hosts_;
  MessagesInRun between_hosts_;
  bool reduces_ = false;
  bool copies_ = false;
};

// The name of the barrier that the MPI library chooses by itself.
inline constexpr std::string_view kOwnBarrier = "library";

// Returns the MachineSpec::barrier for a name: "tree", "barrier/tree" or kOwnBarrier. Throws
// UserError, which lists the accepted names, for another one; barriers on switches, and in groups
// of ranks, are not accepted.
[[nodiscard]] std::string barrier_named(const std::string& name);

// Time of a call as benchmarks of MPI collectives measure it: after a barrier, each rank times its
// own call, and the slowest rank counts. A rank that leaves the barrier late waits less for other
// ranks.
//
// Returns the name of the barrier ("barrier/tree"): MachineSpec::barrier, or else that of the file
// of --parameters, or else the library's own choice.
[[nodiscard]] std::string_view barrier_before_call(const Machine& machine);
[[nodiscard]] Schedule barrier_schedule(std::string_view barrier, std::uint32_t ranks);

// Returns the time at which each rank has finished its last operation, in seconds. An eager message
// is done for its sender when it starts.
[[nodiscard]] std::vector<double> call_ends_s(const Schedule& schedule, const Timeline& timeline,
                                              std::int64_t eager_bytes);

// Returns how much later than the first rank each rank leaves the barrier, in seconds. `run`
// simulates the barrier.
[[nodiscard]] std::vector<double> barrier_exits_s(
    std::string_view barrier, std::uint32_t ranks, std::int64_t eager_bytes,
    const std::function<Timeline(const Schedule&)>& run);

// Returns the time of the slowest rank, from its own start (`begins_s`) to its end (call_ends_s).
[[nodiscard]] double slowest_call_s(const Schedule& schedule, const Timeline& timeline,
                                    std::int64_t eager_bytes, const std::vector<double>& begins_s);

}}  // namespace tutti::simulation
