// Bine reduction for long vectors: the Bine reduce-scatter, near partners first. Then the reduced
// blocks go to the root over the same partners, far partners first. Ranks and blocks are numbered
// relative to the root.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_reduce.c, reduce_bine_bdw, for powers of two.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/bine.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return 2 * ceil_log2(problem.ranks) * prices.alpha_s +
         share * (2 * prices.beta_s_per_byte + prices.gamma_s_per_byte);
}

bool keeps_order(const Problem& problem) {
  return problem.ranks <= 2 || (problem.ranks == 4 && problem.root % 2 == 0);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const BineTree tree(problem.ranks, problem.root);
  const auto parcels = tree.parcels();
  const std::size_t exchanges = bine_messages(tree);
  const std::size_t gathered = count_of(parcels);
  builder.reserve(2 * exchanges + gathered, 5 * exchanges + 4 * gathered);
  Rounds rounds(builder);
  emit_bine_reduce_scatter(rounds, tree);
  std::vector<BlockPair> blocks;
  for (auto step = parcels.rbegin(); step != parcels.rend(); ++step) {
    rounds.next();
    for (const BineTree::Parcel& parcel : *step) {
      blocks.clear();
      for (const std::uint32_t block : parcel.blocks) {
        blocks.push_back({block, block});
      }
      rounds.comm(parcel.to, parcel.from, blocks, kWork, kWork);
    }
  }
}

}  // namespace

extern const Algorithm bine_scatter_gather{
    .collective = Collective::reduce,
    .name = "bine_scatter_gather",
    .idea =
        "Bine reduce-scatter, near partners first, then a gather to the root, far partners first",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "2 ceil(lg p) alpha + 2(p-1)/p n beta + (p-1)/p n gamma",
    .keeps_order = keeps_order,
    .order_kept = "p <= 2, or p = 4 and an even root",
    .refusal = refuse_odd_ranks,
    .limits = kOddRanksLimits,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce
