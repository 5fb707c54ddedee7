// The schedules of NCCL's algorithms, and the machines on which they are simulated.
//
// Source: NVIDIA/nccl 73cf1122 (2.30.7), src/enqueue.cc, calcCollChunking; src/init.cc,
// computeBuffSizes; src/graph/connect.cc; src/graph/tuning.cc.
#pragma once

#include <optional>
#include <string>

#include "cost_models/nccl/model.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/rule_files/decision_table.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace experiments {

// One algorithm of NCCL with one protocol, for one collective and size.
struct NcclCall {
  Collective collective = Collective::allreduce;
  std::uint64_t bytes = 0;
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
};

// Returns the job's nodes with a latency of a step as in NCCL's model, for calls of several
// algorithms at the same time: that of rings with the Simple protocol.
[[nodiscard]] GpuPlatform nccl_nodes(const NcclJob& job);
// Returns how many bytes of user data a link carries, on the job's nodes, in the time of a byte,
// because of the protocol's flags and of what NVLS reaches.
[[nodiscard]] double nccl_payload(const NcclJob& job, NcclAlgorithm algorithm,
                                  NcclProtocol protocol);

struct NcclSchedule {
  Choice choice;        // choice.algorithm is "" if tutti has no equivalent
  std::string lacking;  // why tutti has no equivalent
};

// Returns the schedule that is equivalent to NCCL's. Channels of NCCL with the same ranks in the
// same order count as one channel, whose pieces are as large as those of all of them together.
[[nodiscard]] NcclSchedule nccl_schedule(const NcclJob& job, const NcclModel& model,
                                         const NcclCall& call);

// Returns the machine of the simulations: the job's nodes, or `platform` if this is not null and
// does not describe GPUs. Its links carry the bytes of the protocol's lines. A step takes at least
// the latency that NCCL's model has for it; on a platform without a description of GPUs, it takes
// the latency of the platform.
[[nodiscard]] Machine nccl_machine(const NcclJob& job, const NcclCall& call,
                                   std::uint32_t element_bytes, const OpenedMachine* platform);

// The time of a simulation, or the reason why there is none.
struct NcclSimulatedTime {
  std::optional<double> s;
  std::string refusal;
  // Set if only a shorter call was simulated, because the schedule has too many messages: the size
  // of this call.
  std::optional<std::uint64_t> simulated_bytes;
  // Set if shorter rings were simulated, because the ring has too many messages: the number of
  // ranks of the longest of them.
  std::optional<std::uint32_t> simulated_ranks;
};
// Simulates the schedule on nccl_machine(). The time includes NCCL's base latency. If the schedule
// is a ring with too many messages, two shorter rings are simulated, and the time is assumed to
// grow linearly with the number of ranks. If another schedule has too many messages, only the first
// part of the data is simulated. The rest is assumed to move at the rate of a longer simulation on
// a part of the nodes, or on the user's platform, at that of the second half of the first part.
[[nodiscard]] NcclSimulatedTime nccl_simulated(const NcclJob& job, const NcclCall& call,
                                               const Choice& schedule,
                                               const OpenedMachine* platform);

// Factor between the simulated time and that of NCCL's model from which nccl_why_apart() gives a
// reason.
inline constexpr double kNcclFarApart = 1.5;
// Returns, as a sentence, why the simulated time is far from that of NCCL's model; "" if it is not.
// The reason tells which part of the two times differs more: the part of a tiny call, or the rest.
[[nodiscard]] std::string nccl_why_apart(const NcclJob& job, const NcclModel& model,
                                         const NcclCall& call, double simulated_s,
                                         const OpenedMachine* platform);

}}  // namespace tutti::experiments
