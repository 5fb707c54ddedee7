// Linear all-to-all of blocks of any sizes: every rank sends a message, which may be empty, to
// every other rank, in rank order, all at once.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_alltoallv.c
// (ompi_coll_base_alltoallv_intra_basic_linear).
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/pair_blocks.hpp"

namespace tutti { inline namespace schedules { namespace alltoallv {

namespace {

// Returns the time of alltoall/linear, because the messages have the same order.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double steps = static_cast<double>((std::uint64_t{1} << ceil_log2(problem.ranks)) - 1);
  return steps * (prices.alpha_s + static_cast<double>(problem.bytes) / p * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  builder.reserve(std::size_t{p} * (p - 1), 0);
  for (Rank src = 0; src < p; ++src) {
    for (Rank dst = 0; dst < p; ++dst) {
      if (dst != src) {
        builder.comm({0}, src, dst, pair_block(src, dst, p), {});
      }
    }
  }
}

}  // namespace

extern const Algorithm linear{
    .collective = Collective::alltoallv,
    .name = "linear",
    .idea = "every rank sends to every other rank, all at once",
    .source = "Open MPI coll/base alltoallv_intra_basic_linear",
    .cost = "(2^ceil(lg p) - 1)(alpha + n/p beta) for equal blocks",
    .options = bit(Option::block_sizes),
    .layout = block_per_pair,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoallv
