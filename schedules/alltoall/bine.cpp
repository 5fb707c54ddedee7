// Bine all-to-all: in step s every rank passes on, to its partner at distance 1, 1, 3, 5, 11, ...,
// half of all that it holds, whoever's it was: what is for the ranks that the later steps reach
// from there. Blocks take the places of those that were passed on, after a copy, free unless copies
// are priced. Those places are chosen from the last step back, so that in the end every block is
// where it belongs; in the first step blocks go from the input straight there.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_alltoall.c, which sorts what it keeps to the front of
// its buffer in each step, and puts all blocks in their places at the end.
#include "schedules/patterns/bine.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"

namespace tutti::alltoall {

namespace {

// Who passes on what in a step: by rank, pairs of its place there and of its next one.
using StepPairs = std::vector<std::vector<BlockPair>>;

class Route {
 public:
  explicit Route(std::uint32_t ranks) : p_(ranks), butterfly_(ranks) {
    std::vector<Rank> holder(std::size_t{p_} * p_);  // of what a rank has for another
    for_each_block([&](std::size_t block, Rank source, Rank) { holder[block] = source; });
    goes_.assign(butterfly_.steps(), std::vector<bool>(holder.size()));
    passed_on_.assign(butterfly_.steps(), StepPairs(p_));
    kept_.resize(p_);
    for (std::uint32_t step = 0; step < butterfly_.steps(); ++step) {
      for_each_block([&](std::size_t block, Rank, Rank target) {
        Rank& at = holder[block];
        if (at != target && butterfly_.step_towards(at, target) == step) {
          goes_[step][block] = true;
          at = butterfly_.partner(at, step);
        }
      });
    }
    choose_places(std::move(holder));
  }

  [[nodiscard]] const BineButterfly& butterfly() const { return butterfly_; }
  [[nodiscard]] const StepPairs& passed_on(std::uint32_t step) const { return passed_on_[step]; }
  // In the first step, from the input.
  [[nodiscard]] const StepPairs& kept_at_first() const { return kept_; }

 private:
  template <typename Visit>
  void for_each_block(Visit&& visit) const {
    std::size_t block = 0;
    for (Rank source = 0; source < p_; ++source) {
      for (Rank target = 0; target < p_; ++target) {
        visit(block++, source, target);
      }
    }
  }
  [[nodiscard]] std::uint32_t distance(Rank source, Rank target) const {
    return target >= source ? target - source : target + p_ - source;
  }

  // `holder`: of each block, in the end.
  void choose_places(std::vector<Rank> holder) {
    std::vector<std::uint32_t> place(holder.size());
    for_each_block([&](std::size_t block, Rank source, Rank target) {
      place[block] = distance(source, target);
    });
    std::vector<std::vector<std::uint32_t>> freed(p_);
    std::vector<std::size_t> next(p_);
    for (std::uint32_t step = butterfly_.steps(); step-- > 0;) {
      // What arrives has the places of what leaves: the first of these that of the first, and so
      // on.
      for (Rank rank = 0; rank < p_; ++rank) {
        freed[rank].clear();
        passed_on_[step][rank].reserve(p_ / 2);
      }
      next.assign(p_, 0);
      for_each_block([&](std::size_t block, Rank source, Rank target) {
        if (goes_[step][block]) {
          freed[holder[block]].push_back(place[block]);
          holder[block] = butterfly_.partner(holder[block], step);  // who meets, comes from there
        } else if (step == 0) {
          kept_[source].push_back({distance(source, target), place[block]});
        }
      });
      for_each_block([&](std::size_t block, Rank source, Rank target) {
        if (goes_[step][block]) {
          const Rank from = holder[block];
          const std::uint32_t before =
              step == 0 ? distance(source, target) : freed[from][next[from]++];
          passed_on_[step][from].push_back({before, place[block]});
          place[block] = before;
        }
      });
    }
  }

  std::uint32_t p_;
  BineButterfly butterfly_;
  std::vector<std::vector<bool>> goes_;  // by step, then by block
  std::vector<StepPairs> passed_on_;
  StepPairs kept_;
};

std::optional<Sentence> refusal(const Problem& problem) {
  if (!std::has_single_bit(problem.ranks)) {
    return sentence("{} ranks are no power of two, and half of the blocks cannot go in each step",
                    problem.ranks);
  }
  // A block takes the place of any other.
  if (problem.elements() % problem.ranks != 0) {
    return sentence("{} elements are not as many for each of {} ranks", problem.elements(),
                    problem.ranks);
  }
  return std::nullopt;
}
constexpr std::array<std::string_view, 2> kLimits{"p that is no power of two",
                                                  "blocks of unequal sizes"};

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double steps = floor_log2(problem.ranks);
  const double n = static_cast<double>(problem.bytes);
  return problem.ranks == 1 ? n * prices.copy_s_per_byte
                            : steps * (prices.alpha_s + n / 2 * prices.beta_s_per_byte +
                                       n / 2 * prices.copy_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  if (p == 1) {
    builder.copy({}, 0, {{0, 1}, kInput, kWork}, {});
    return;
  }
  const Route route(p);
  const std::uint32_t steps = route.butterfly().steps();
  builder.reserve(2 * std::size_t{steps} * p, 6 * std::size_t{steps} * p);
  Rounds rounds(builder);
  std::vector<BlockPair> arrived;
  for (std::uint32_t step = 0; step < steps; ++step) {
    rounds.next();
    const StepPairs& passed_on = route.passed_on(step);
    for (Rank rank = 0; rank < p; ++rank) {
      rounds.comm(rank, route.butterfly().partner(rank, step), passed_on[rank],
                  step == 0 ? kInput : kWork, step == 0 ? kWork : kScratch);
    }
    for (Rank rank = 0; rank < p; ++rank) {
      if (step == 0) {
        rounds.copy(rank, route.kept_at_first()[rank], kInput, kWork);
        continue;
      }
      arrived.clear();
      for (const BlockPair& pair : passed_on[route.butterfly().partner(rank, step)]) {
        arrived.push_back({pair.into, pair.into});
      }
      rounds.copy(rank, arrived, kScratch, kWork);
    }
  }
}

}  // namespace

extern const Algorithm bine{
    .collective = Collective::alltoall,
    .name = "bine",
    .idea =
        "partners at distance 1, 1, 3, 5, 11, ..., on either side in turn, exchange the half of "
        "all blocks that the other goes on with",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "lg p (alpha + n/2 beta)",
    .keeps_order = nullptr,
    .refusal = refusal,
    .limits = kLimits,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::alltoall
