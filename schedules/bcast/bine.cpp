// Bine broadcast: the vector goes down the tree that the Bine butterfly forms for the root, to far
// partners first. Between groups of near ranks, up to a third fewer bytes travel than over a
// binomial tree.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_bcast.c, bcast_bine_lat_new, for powers of two.
#include "schedules/patterns/bine.hpp"

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double n = static_cast<double>(problem.bytes);
  return ceil_log2(problem.ranks) * (prices.alpha_s + n * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const BineTree tree(problem.ranks, problem.root);
  builder.reserve(problem.ranks - 1, 4 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  const auto edges = tree.edges();
  for (auto step = edges.rbegin(); step != edges.rend(); ++step) {
    rounds.next();
    for (const BineTree::Edge& edge : *step) {
      rounds.comm(edge.near, edge.far, {{0, 1}, kWork, kWork});
    }
  }
}

}  // namespace

extern const Algorithm bine{
    .collective = Collective::bcast,
    .name = "bine",
    .idea = "the vector goes down the tree of the Bine butterfly, to far partners first",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "ceil(lg p) (alpha + n beta)",
    .refusal = refuse_odd_ranks,
    .limits = kOddRanksLimits,
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::bcast
