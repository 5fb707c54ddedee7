// Rings with too many messages to simulate all of them.
#pragma once

#include <optional>
#include <string>

#include "src/experiments/decisions/nccl_simulation.hpp"

namespace tutti { inline namespace experiments {

// True if all ranks send all the time: a loop moves a piece of each rank around the ring.
[[nodiscard]] bool goes_around(const NcclCall& call);

// Returns the job on `nodes` nodes of the same kind. The last node has as many GPUs as that of
// `job`.
[[nodiscard]] NcclJob with_nodes(const NcclJob& job, std::uint32_t nodes);

// The same ring on two smaller numbers of nodes, with pieces of the same size. The steps of the
// three rings take equally long, so that the time grows linearly with the number of ranks.
struct ShorterRings {
  NcclJob least_job;
  NcclCall least_call;
  NcclJob most_job;
  NcclCall most_call;
};

// Returns shorter rings if `call` is a ring with too many messages, and no rank can represent
// others; otherwise nothing. Rings that change cards differ between even and odd numbers of nodes,
// so the three numbers are all even or all odd.
[[nodiscard]] std::optional<ShorterRings> shorter_rings(const NcclJob& job, const NcclCall& call,
                                                        const Choice& schedule);

// Returns why a ring would take too long to simulate on all ranks; "" if it does not.
[[nodiscard]] std::string too_many_messages(const NcclCall& call, const Algorithm& algorithm,
                                            const Problem& problem);

}}  // namespace tutti::experiments
