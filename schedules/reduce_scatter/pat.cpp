// PAT reduce-scatter: partial sums of each block go up a binomial tree, first over near dimensions,
// branch by branch, then over far ones. --aggregate can limit messages to K blocks. Only few sums
// then wait to be completed and forwarded.
//
// Source: see patterns/pat.hpp.
#include "schedules/patterns/pat.hpp"

#include "schedules/algorithm.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  return static_cast<double>(pat_reduce_scatter(problem.ranks, problem.aggregate).size()) *
             prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) *
             (prices.beta_s_per_byte + prices.gamma_s_per_byte);
}

bool keeps_order(const Problem& problem) { return problem.ranks <= 2; }

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const auto messages = pat_reduce_scatter(p, problem.aggregate);
  builder.reserve(2 * messages.size() * p, 5 * messages.size() * p);
  Rounds rounds(builder);
  const auto plus = [p](std::uint32_t a, std::uint32_t b) { return a + b < p ? a + b : a + b - p; };
  for (const PatMessage& message : messages) {
    rounds.next();
    const auto sent_by = [&](Rank rank) {
      return BlockSet{plus(rank, message.first), message.count, 1, message.stride};
    };
    for (const Rank rank : builder.emitted_ranks()) {
      rounds.comm(rank, plus(rank, message.distance), {sent_by(rank), kWork, kScratch});
    }
    for (const Rank rank : builder.emitted_ranks()) {
      const Rank from = plus(rank, p - message.distance);
      rounds.reduce(rank, {sent_by(from), kScratch, kWork},
                    from < rank ? Operand::left : Operand::right);
    }
  }
}

}  // namespace

extern const Algorithm pat{
    .collective = Collective::reduce_scatter,
    .name = "pat",
    .idea =
        "partial sums go up binomial trees branch by branch, then over far dimensions, with at "
        "most K blocks in a message",
    .source = "Jeaugey, PAT, arXiv 2506.20252; NCCL 2.23 include/collectives.h",
    .cost =
        "M alpha + (p-1)/p n (beta + gamma); the number of messages M is ceil(lg p) by default, "
        "and about (p-1)/K with $aggregate K",
    .keeps_order = keeps_order,
    .order_kept = "p <= 2",
    .options = bit(Option::aggregate) | bit(Option::block_sizes),
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce_scatter
