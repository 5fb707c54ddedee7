// Allgather, then reduce: every rank sends its whole vector to every other rank, starting with the
// next rank, all at once. When all vectors have arrived, each rank combines them itself. The
// algorithm is for small vectors: it has a single step of messages, but each rank sends its vector
// p - 1 times and needs p - 1 scratch vectors. A rank first combines the vectors of lower ranks as
// left operands, nearest rank first, then those of higher ranks as right operands, so the order of
// ranks is kept.
//
// Source: Open MPI's main branch of August 2026, ompi/mca/coll/base/coll_base_allreduce.c,
// allreduce_intra_allgather_reduce, which calls the allgather that is selected for the
// communicator; here this is allgather/direct.
#include <array>
#include <vector>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

constexpr BlockSet kWhole{0, 1};

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double n = static_cast<double>(problem.bytes);
  return (problem.ranks - 1.0) *
         (prices.alpha_s + n * prices.beta_s_per_byte + n * prices.gamma_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::size_t messages = std::size_t{p} * (p - 1);
  builder.reserve(2 * messages, p == 1 ? 0 : 2 * messages + std::size_t{p} * (p - 2));
  std::vector<OpId> sent(messages);  // the messages, by distance and then by sender
  for (std::uint32_t distance = 1; distance < p; ++distance) {
    for (Rank src = 0; src < p; ++src) {
      const Rank dst = src + distance < p ? src + distance : src + distance - p;
      sent[std::size_t{p} * (distance - 1) + src] = builder.comm(
          {distance - 1}, src, dst, {kWhole, kInput, {Buffer::scratch, distance - 1}}, {});
    }
  }
  std::vector<OpId> all;
  for (Rank rank = 0; rank < p; ++rank) {
    all.clear();
    for (std::uint32_t distance = 1; distance < p; ++distance) {
      const std::size_t row = std::size_t{p} * (distance - 1);
      all.push_back(sent[row + rank]);
      all.push_back(sent[row + (rank + p - distance) % p]);
    }
    OpId sum = kNoOp;
    for (std::uint32_t i = 0; i + 1 < p; ++i) {
      // The vectors of ranks rank-1, ..., 0, then those of ranks rank+1, ..., p-1.
      const std::uint32_t distance = i < rank ? i + 1 : p - 1 - (i - rank);
      const Move move{kWhole, {Buffer::scratch, distance - 1}, kWork};
      const Operand side = i < rank ? Operand::left : Operand::right;
      sum = sum == kNoOp ? builder.reduce({p - 1}, rank, move, side, all)
                         : builder.reduce({p - 1 + i}, rank, move, side, std::array{sum});
    }
  }
}

}  // namespace

extern const Algorithm allgather_reduce{
    .collective = Collective::allreduce,
    .name = "allgather_reduce",
    .idea = "every rank sends its vector to every other rank and combines all vectors itself",
    .source = "Open MPI (main branch of August 2026) coll/base allreduce_intra_allgather_reduce",
    .cost = "(p-1)(alpha + n beta + n gamma)",
    .keeps_order = always,
    .order_kept = "always",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allreduce
