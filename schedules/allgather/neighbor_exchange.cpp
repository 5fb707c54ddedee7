// Neighbour exchange allgather, for even numbers of ranks. First the two ranks of each pair
// exchange their blocks. In each further round, every rank forwards the pair of blocks that it
// received in the previous round, to the neighbour on its other side. Pairs of blocks thus travel
// around the ring in both directions, two blocks in a message, in half the rounds of a ring.
//
// Source: Chen, Zhang, Zhang and Yuan, "Performance Evaluation of Allgather Algorithms on Terascale
// Linux Cluster with Fast Ethernet", HPCASIA 2005; Open MPI 4.1,
// ompi/mca/coll/base/coll_base_allgather.c, allgather_intra_neighborexchange (which runs the ring
// if the number of ranks is odd).
#include <array>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

std::optional<Sentence> refusal(const Problem& problem) {
  if (problem.ranks % 2 == 1 && problem.ranks > 1) {
    return sentence("{} ranks cannot be paired; use an even number, or allgather/ring",
                    problem.ranks);
  }
  return std::nullopt;
}
constexpr std::array<std::string_view, 1> kLimits{"an odd number of ranks above 1"};

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks == 1) {
    return 0;
  }
  const double p = problem.ranks;
  return p / 2 * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  if (p == 1) {
    return;
  }
  const std::uint32_t pairs = p / 2;
  const std::size_t messages = std::size_t{p} * pairs;
  builder.reserve(messages, 4 * (messages - p));
  Rounds rounds(builder);
  rounds.next();
  for (Rank rank = 0; rank < p; ++rank) {
    rounds.comm(rank, rank ^ 1U, {{rank, 1}, kWork, kWork});
  }
  // In odd rounds, even ranks exchange with the rank below them and odd ranks with the rank above
  // them; in even rounds, it is the other way round. Each pair of blocks keeps its direction.
  const auto exchange = [&](std::uint32_t round) {
    rounds.next();
    const std::uint32_t ahead = round / 2;
    for (Rank rank = 0; rank < p; ++rank) {
      const bool up = (rank % 2 == 0) == (round % 2 == 0);
      const std::uint32_t pair = rank / 2;
      // Blocks that go up have come from below, and vice versa.
      const std::uint32_t sent = up ? (pair + pairs - ahead) % pairs : (pair + ahead) % pairs;
      const Rank partner = up ? (rank + 1 == p ? 0 : rank + 1) : (rank == 0 ? p - 1 : rank - 1);
      rounds.comm(rank, partner, {{2 * sent, 2}, kWork, kWork});
    }
  };
  for (const std::uint32_t both : rounds.alike((pairs - 1) / 2)) {
    exchange(2 * both + 1);
    exchange(2 * both + 2);
  }
  if (pairs % 2 == 0) {
    exchange(pairs - 1);
  }
}

}  // namespace

extern const Algorithm neighbor_exchange{
    .collective = Collective::allgather,
    .name = "neighbor_exchange",
    .idea =
        "neighbours exchange pairs of blocks, alternately with the left and the right neighbour",
    .source =
        "Chen, Zhang, Zhang and Yuan, HPCASIA 2005; Open MPI coll/base "
        "allgather_intra_neighborexchange",
    .cost = "p/2 alpha + (p-1)/p n beta",
    .refusal = refusal,
    .limits = kLimits,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .has_alike_rounds = true,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allgather
