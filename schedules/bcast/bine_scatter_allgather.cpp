// Bine broadcast for long vectors: the root's blocks go to their owners over the exchanges of the
// Bine reduce-scatter, near partners first. Then the Bine allgather sends each rank only the blocks
// that it did not receive in the scatter. Ranks and blocks are numbered relative to the root.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_bcast.c, bcast_bine_bdw_static, for powers of two.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/bine.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return 2 * (ceil_log2(problem.ranks) * prices.alpha_s + share * prices.beta_s_per_byte);
}

using Blocks = std::vector<BlockPair>;

// Returns, for each relative rank, the blocks that the scatter brings to the rank, including those
// that the rank passes on.
std::vector<std::vector<std::uint32_t>> left_by(
    const std::vector<std::vector<BineTree::Parcel>>& scatter, const BineTree& tree) {
  const std::uint32_t p = tree.ranks();
  std::vector<std::vector<std::uint32_t>> left(p);
  for (const auto& step : scatter) {
    for (const BineTree::Parcel& parcel : step) {
      std::vector<std::uint32_t>& blocks = left[(parcel.to + p - tree.rank(0)) % p];
      blocks.insert(blocks.end(), parcel.blocks.begin(), parcel.blocks.end());
    }
  }
  return left;
}

// Calls visit(to, blocks) for each message of the allgather in `step`.
template <typename Visit>
void for_each_lack(const BineTree& tree, std::uint32_t step,
                   const std::vector<std::vector<std::uint32_t>>& left, Visit&& visit) {
  // For each block: the last relative rank that was found to have it.
  std::vector<std::uint32_t> has(tree.ranks());
  Blocks blocks;
  for (std::uint32_t to = 1; to < tree.ranks(); ++to) {
    for (const std::uint32_t block : left[to]) {
      has[block] = to;
    }
    blocks.clear();
    tree.butterfly().for_each_passed_on(to, step, [&](Rank block) {
      if (has[block] != to) {
        blocks.push_back({block, block});
      }
    });
    if (!blocks.empty()) {
      visit(to, blocks);
    }
  }
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const BineTree tree(problem.ranks, problem.root);
  const auto scatter = tree.parcels();
  const auto left = left_by(scatter, tree);
  std::size_t messages = count_of(scatter);
  for (std::uint32_t step = 0; step < tree.steps(); ++step) {
    for_each_lack(tree, step, left, [&](Rank, const Blocks&) { ++messages; });
  }
  builder.reserve(messages, 4 * messages);
  Rounds rounds(builder);
  Blocks blocks;
  for (const auto& step : scatter) {
    rounds.next();
    for (const BineTree::Parcel& parcel : step) {
      blocks.clear();
      for (const std::uint32_t block : parcel.blocks) {
        blocks.push_back({block, block});
      }
      rounds.comm(parcel.from, parcel.to, blocks, kWork, kWork);
    }
  }
  for (std::uint32_t step = tree.steps(); step-- > 0;) {
    rounds.next();
    for_each_lack(tree, step, left, [&](Rank to, const Blocks& lacking) {
      rounds.comm(tree.rank(tree.butterfly().partner(to, step)), tree.rank(to), lacking, kWork,
                  kWork);
    });
  }
}

}  // namespace

extern const Algorithm bine_scatter_allgather{
    .collective = Collective::bcast,
    .name = "bine_scatter_allgather",
    .idea =
        "a scatter as in the Bine reduce-scatter, then a Bine allgather of the blocks that "
        "each rank lacks",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "2 ceil(lg p) alpha + 2(p-1)/p n beta",
    .refusal = refuse_odd_ranks,
    .limits = kOddRanksLimits,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::bcast
