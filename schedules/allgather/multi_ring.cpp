// Ring allgather over several rings side by side; by default, over the ring in both directions.
//
// Source: see patterns/multi_ring.hpp.
#include "schedules/patterns/multi_ring.hpp"

#include "schedules/algorithm.hpp"

namespace tutti::inline schedules::allgather {

namespace {

// The channels share a port, which is never idle.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  return kTwoChannels.of(problem) * (p - 1) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const MultiRing ring(problem);
  builder.reserve(1 * ring.messages(), 4 * ring.messages());
  std::vector<Rounds> rounds = ring.rounds(builder);
  ring.allgather(rounds);
}

}  // namespace

extern const Algorithm multi_ring{
    .collective = Collective::allgather,
    .name = "multi_ring",
    .idea =
        "rings side by side, each with its part of every block, two of them the ring in both "
        "directions",
    .source = "NCCL graph/connect.cc, device/all_gather.h",
    .cost = "C (p-1) alpha + (p-1)/p n beta, C channels",
    .options = bit(Option::channels),
    .own_numbers = {&kTwoChannels, 1},
    .layout = multi_ring_layout,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::inline schedules::allgather
