// Sparbit allgather ("stripe parallel binomial trees"): over the distances d = 2^(q-1), ..., 2, 1
// in turn, where q = ceil(lg p), rank r sends rank r + d all blocks r - 2td that it has (t = 0, 1,
// ...). Unlike in Bruck's algorithm, the far messages are the small ones. Each block is a message
// of its own and is received in its place. If p is not a power of two, some steps send one block
// fewer, because that block would arrive twice.
//
// Source: Loch and Koslovski, "Sparbit: a new logarithmic-cost and data locality-aware MPI
// Allgather algorithm", 2021 (arXiv 2109.08751); Open MPI 5.0,
// ompi/mca/coll/base/coll_base_allgather.c, allgather_intra_sparbit. A message of a step begins
// when its sender and its receiver have finished the last messages of the previous step. The
// messages of a step between two ranks go in the same direction and have the same size, so the
// message that is posted last ends last.
#include <array>
#include <bit>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  return (p - 1) *
         (prices.alpha_s + static_cast<double>(problem.bytes) / p * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  if (p == 1) {
    return;
  }
  builder.reserve(std::size_t{p} * (p - 1), 5 * std::size_t{p} * (p - 1));
  const std::uint32_t kept = static_cast<std::uint32_t>(std::countr_zero(p));
  // Distances over which one block fewer is sent, as a bit mask.
  const std::uint32_t shorter = (~(p >> kept) | 1U) << kept;
  // arrivals[d][r] is the message that brought rank r a block from distance d.
  std::vector<std::vector<OpId>> arrivals(p);
  struct Last {
    OpId send = kNoOp;
    OpId receive = kNoOp;
  };
  std::vector<Last> before(p);
  std::vector<Last> now(p);
  std::uint32_t expected = 1;
  std::uint32_t level = 0;
  for (std::uint32_t distance = 1U << (ceil_log2(p) - 1); distance > 0; distance /= 2, ++level) {
    const std::uint32_t count = expected - ((distance & shorter) != 0 ? 1 : 0);
    for (std::uint32_t t = 0; t < count; ++t) {
      const std::uint32_t come = 2 * t * distance;
      const std::vector<OpId>& had = arrivals[come];
      std::vector<OpId>& arrived = arrivals[come + distance];
      arrived.resize(p);
      for (Rank src = 0; src < p; ++src) {
        const Rank dst = src + distance < p ? src + distance : src + distance - p;
        const std::uint32_t block = src >= come ? src - come : src + p - come;
        const std::array after{before[src].send, before[src].receive, before[dst].send,
                               before[dst].receive, had.empty() ? kNoOp : had[src]};
        arrived[dst] = builder.comm({level, t}, src, dst, {{block, 1}, kWork, kWork}, after);
        now[src].send = arrived[dst];
        now[dst].receive = arrived[dst];
      }
    }
    before = now;
    expected += count;
  }
}

}  // namespace

extern const Algorithm sparbit{
    .collective = Collective::allgather,
    .name = "sparbit",
    .idea = "at decreasing distances 2^k, each rank sends the blocks that it has, one per message",
    .source =
        "Loch and Koslovski, Sparbit, 2021 (arXiv 2109.08751); Open MPI 5.0 coll/base "
        "allgather_intra_sparbit",
    .cost = "(p-1)(alpha + n/p beta), in ceil(lg p) steps of messages at once",
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allgather
