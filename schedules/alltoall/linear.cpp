// Linear all-to-all: every rank sends to every other rank, in rank order, all at once. Blocks are
// numbered by distance: block k of rank r goes to rank r + k.
//
// Source: [schedule document] ("Basic linear"). With one port per rank, a message starts when the
// ports at both its ends are free, and messages with lower ids go first. In this order all messages
// together take 2^ceil(lg p) - 1 steps.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/own_block.hpp"

namespace tutti { inline namespace schedules { namespace alltoall {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (prices.copy_s_per_byte > 0) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double steps = static_cast<double>((std::uint64_t{1} << ceil_log2(problem.ranks)) - 1);
  return steps * (prices.alpha_s + static_cast<double>(problem.bytes) / p * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  builder.reserve(std::size_t{p} * p, 0);
  copy_own_blocks(builder);
  for (Rank src = 0; src < p; ++src) {
    for (Rank dst = 0; dst < p; ++dst) {
      if (dst != src) {
        const std::uint32_t distance = dst > src ? dst - src : dst + p - src;
        builder.comm({0}, src, dst, {{distance, 1}, kInput, kWork}, {});
      }
    }
  }
}

}  // namespace

extern const Algorithm linear{
    .collective = Collective::alltoall,
    .name = "linear",
    .idea = "every rank sends to every other rank, all at once",
    .source = "Open MPI coll/base alltoall_intra_basic_linear; [schedule document] (basic linear)",
    .cost = "(2^ceil(lg p) - 1)(alpha + n/p beta)",
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoall
