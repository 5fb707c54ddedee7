// Circulant broadcast: the messages of the circulant reduction to the root, sent in reverse. Every
// rank gets the whole vector once, over the spanning tree that the skips form.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), section 2.1 (all elements in one block) and section 4.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/patterns/circulant_tree.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const auto rounds = CirculantTree(problem).rounds_of_root();
  if (!rounds) {
    return std::nullopt;
  }
  const double n = static_cast<double>(problem.bytes);
  return *rounds * (prices.alpha_s + n * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const CirculantTree tree(problem);
  builder.reserve(problem.ranks - 1, 4 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  for (std::size_t round = tree.rounds(); round-- > 0;) {
    rounds.next();
    tree.for_each_edge(round, [&](Rank parent, Rank child, std::uint32_t) {
      rounds.comm(parent, child, {{0, 1}, kWork, kWork});
    });
  }
}

}  // namespace

extern const Algorithm circulant{
    .collective = Collective::bcast,
    .name = "circulant",
    .idea = "the circulant reduction to the root, in reverse",
    .source = "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2025",
    .cost =
        "q (alpha + n beta); the number of rounds q is ceil(lg p) with halving or doubling skips",
    .options = bit(Option::skips),
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::bcast
