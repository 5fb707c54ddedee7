// Basic linear allreduce: every rank sends its vector to rank 0, which combines the vectors in rank
// order and sends the result to every rank. Rank 0 has a scratch slot for each message, so that it
// can receive while it reduces.
//
// Source: Open MPI coll/base allreduce_intra_basic_linear (reduce to rank 0, then broadcast).
#include <algorithm>
#include <array>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

constexpr BlockSet kWhole{0, 1};

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks == 1) {
    return 0;
  }
  const double p = problem.ranks;
  const double n = static_cast<double>(problem.bytes);
  const double message_s = prices.alpha_s + n * prices.beta_s_per_byte;
  const double reduction_s = n * prices.gamma_s_per_byte;
  return p * message_s + reduction_s + (p - 2) * std::max(message_s, reduction_s);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  builder.reserve(3 * std::size_t{p - 1}, 4 * std::size_t{p - 1});
  std::vector<OpId> arrivals(p, kNoOp);
  for (Rank rank = 1; rank < p; ++rank) {
    arrivals[rank] =
        builder.comm({rank - 1}, rank, 0, {kWhole, kWork, {Buffer::scratch, rank - 1}}, {});
  }
  OpId sum = kNoOp;
  for (Rank rank = 1; rank < p; ++rank) {
    sum = builder.reduce({rank - 1}, 0, {kWhole, {Buffer::scratch, rank - 1}, kWork},
                         Operand::right, std::array{sum, arrivals[rank]});
  }
  for (Rank rank = 1; rank < p; ++rank) {
    // The rank must have sent its own vector before the result overwrites it.
    builder.comm({p - 2 + rank}, 0, rank, {kWhole, kWork, kWork}, std::array{sum, arrivals[rank]});
  }
}

}  // namespace

extern const Algorithm basic_linear{
    .collective = Collective::allreduce,
    .name = "basic_linear",
    .idea = "rank 0 receives and combines every vector, then sends the result to every rank",
    .source = "Open MPI coll/base allreduce_intra_basic_linear",
    .cost = "p A + G + (p-2) max(A, G), with A = alpha + n beta and G = n gamma",
    .keeps_order = always,
    .order_kept = "always",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allreduce
