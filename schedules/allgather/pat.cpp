// PAT allgather: Bruck's algorithm with the far dimensions first. --aggregate can limit messages to
// K blocks. The binomial trees over which the blocks travel are then traversed one branch after the
// other, so that few blocks wait to be forwarded.
//
// Source: see patterns/pat.hpp.
#include "schedules/patterns/pat.hpp"

#include "schedules/algorithm.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  return static_cast<double>(pat_allgather(problem.ranks, problem.aggregate).size()) *
             prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const auto messages = pat_allgather(p, problem.aggregate);
  builder.reserve(messages.size() * p, 4 * messages.size() * p);
  Rounds rounds(builder);
  const auto plus = [p](std::uint32_t a, std::uint32_t b) { return a + b < p ? a + b : a + b - p; };
  for (const PatMessage& message : messages) {
    rounds.next();
    for (const Rank rank : builder.emitted_ranks()) {
      rounds.comm(rank, plus(rank, p - message.distance),
                  {{plus(rank, message.first), message.count, 1, message.stride}, kWork, kWork});
    }
  }
}

}  // namespace

extern const Algorithm pat{
    .collective = Collective::allgather,
    .name = "pat",
    .idea =
        "blocks travel over far dimensions first, then down binomial trees branch by branch, with "
        "at most K blocks in a message",
    .source = "Jeaugey, PAT, arXiv 2506.20252; NCCL 2.23 include/collectives.h",
    .cost =
        "M alpha + (p-1)/p n beta; the number of messages M is ceil(lg p) by default, and about "
        "(p-1)/K with $aggregate K",
    .options = bit(Option::aggregate),
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allgather
