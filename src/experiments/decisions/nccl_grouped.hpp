// Calls that NCCL runs as grouped sends and receives.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "src/experiments/decisions/nccl_answer.hpp"

namespace tutti { inline namespace experiments {

// The collectives among these calls. The remaining call, "sendrecv", sends n bytes from each rank
// to the next, and from the last rank to the first, as nccl-tests' sendrecv_perf does.
inline constexpr std::array kNcclGroupedCollectives{Collective::alltoall, Collective::gather,
                                                    Collective::scatter};
inline constexpr std::string_view kNcclSendrecv = "sendrecv";
// Returns the name of NCCL's call for `collective`, "sendrecv" for alltoallv; "" if NCCL has its
// own algorithms for the collective.
[[nodiscard]] std::string_view nccl_grouped_call(Collective collective);

// Returns the answer for such a call, without a simulated time.
[[nodiscard]] NcclAnswer nccl_grouped_answer(const NcclJob& job, Collective collective,
                                             std::uint64_t bytes);
// Sets the simulated time and the bound of NcclAnswer::grouped, or its refusal. The messages run on
// `platform`, or if this is null, on the job's nodes, with the latencies of NCCL's model for rings:
// with LL for messages of up to 16 KiB if there is a single node, and otherwise with Simple.
void simulate_grouped(NcclAnswer& answer, const OpenedMachine* platform);

}}  // namespace tutti::experiments
