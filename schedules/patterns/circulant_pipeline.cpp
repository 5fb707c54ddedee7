#include "schedules/patterns/circulant_pipeline.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules {

namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

// Returns the base block of a rank, which is the only one of blocks 0 to q-1 that the rank receives
// in the first q rounds. To find it, the largest possible skips are subtracted from the rank until
// nothing is left: the base block is the index of the last skip that was subtracted. For the root,
// which has all blocks, the base block is q.
std::uint32_t base_block(const std::vector<std::uint32_t>& skips, Rank rank) {
  const auto q = static_cast<std::uint32_t>(skips.size() - 1);
  for (std::uint32_t k = q; rank > 0 && k-- > 0;) {
    if (rank >= skips[k]) {
      rank -= skips[k];
      if (rank == 0) {
        return k;
      }
    }
  }
  return q;
}

// Finds the blocks that a rank receives by a depth-first search over sums of decreasing skips that
// are still free. If a sum is not above the sender of the current round, the last skip of the sum
// can determine the block of that round, and is then no longer free. p is added to the rank, so
// that no negative sums are needed.
class ReceiveSearch {
 public:
  ReceiveSearch(const std::vector<std::uint32_t>& skips, Rank rank, std::int8_t* received)
      : skips_(skips),
        q_(static_cast<std::uint32_t>(skips.size() - 1)),
        above_(rank + skips.back()),
        base_(base_block(skips, rank)),
        free_(((std::uint64_t{2} << q_) - 1) & ~(std::uint64_t{1} << base_)),
        received_(received) {}

  void run() {
    extend(0, free_below(q_ + 1), std::uint64_t{2} * skips_.back());
    TUTTI_INVARIANT(round_ == q_);
  }

 private:
  // Extends `sum` by each free skip, from index `e` downwards. `taken`: the latest sum that
  // determined a block; later sums must be smaller.
  void extend(std::uint64_t sum, std::uint32_t e, std::uint64_t taken) {
    for (; e != kNone && round_ < q_; e = free_below(e)) {
      const std::uint64_t longer = sum + skips_[e];
      if (longer + skips_[round_] > above_ || longer >= taken) {
        continue;
      }
      // The sum still leaves room for the next round's skip: take it only if longer sums do not
      // fit.
      if (longer + skips_[round_ + 1] <= above_) {
        extend(longer, e, taken);
        if (round_ == q_) {
          return;
        }
      }
      // The recursion may have advanced to a later round, for which even `sum` may be too long.
      if (sum + skips_[round_ + 1] > above_) {
        return;
      }
      taken = longer;
      free_ &= ~(std::uint64_t{1} << e);
      received_[round_++] =
          static_cast<std::int8_t>(e == q_ ? static_cast<int>(base_) : static_cast<int>(e - q_));
    }
  }

  [[nodiscard]] std::uint32_t free_below(std::uint32_t e) const {
    const std::uint64_t below = free_ & ((std::uint64_t{1} << e) - 1);
    return below == 0 ? kNone : static_cast<std::uint32_t>(std::bit_width(below)) - 1;
  }

  const std::vector<std::uint32_t>& skips_;
  std::uint32_t q_;
  std::uint64_t above_;
  std::uint32_t base_;
  // Bit e is set if skip e is free.
  std::uint64_t free_;
  std::int8_t* received_;
  std::uint32_t round_ = 0;
};

}  // namespace

std::vector<std::uint32_t> circulant_halves(std::uint32_t ranks) {
  std::vector<std::uint32_t> skips{ranks};
  while (skips.back() > 1) {
    skips.push_back((skips.back() + 1) / 2);
  }
  std::reverse(skips.begin(), skips.end());
  return skips;
}

void find_received(const std::vector<std::uint32_t>& skips, Rank rank, std::int8_t* received) {
  ReceiveSearch(skips, rank, received).run();
}

CirculantPipeline::CirculantPipeline(std::uint32_t ranks, std::uint32_t blocks)
    : ranks_(ranks), blocks_(blocks), q_(ceil_log2(ranks)), skips_(circulant_halves(ranks)) {
  if (q_ == 0) {
    return;
  }
  idle_ = (q_ - (blocks_ - 1) % q_) % q_;
  received_.resize(std::size_t{ranks} * q_);
  for (Rank rank = 0; rank < ranks; ++rank) {
    find_received(skips_, rank, &received_[std::size_t{rank} * q_]);
  }
}

void emit_circulant_bcast(Rounds& rounds, const CirculantPipeline& pipeline, Rank root) {
  const std::uint32_t p = pipeline.ranks();
  const auto rank = [&](std::uint32_t relative) { return (root + relative) % p; };
  for (std::uint32_t round = 0; round < pipeline.rounds(); ++round) {
    rounds.next();
    pipeline.for_each_message(round,
                              [&](std::uint32_t from, std::uint32_t to, std::uint32_t block) {
                                rounds.comm(rank(from), rank(to), {{block, 1}, kWork, kWork});
                              });
  }
}

void emit_circulant_reduce(Rounds& rounds, const CirculantPipeline& pipeline, Rank root) {
  const std::uint32_t p = pipeline.ranks();
  const auto rank = [&](std::uint32_t relative) { return (root + relative) % p; };
  for (std::uint32_t round = pipeline.rounds(); round-- > 0;) {
    rounds.next();
    // In a round a rank sends and receives different blocks, so a reduction need not wait for a
    // send.
    pipeline.for_each_message(
        round, [&](std::uint32_t to, std::uint32_t from, std::uint32_t block) {
          rounds.comm(rank(from), rank(to), {{block, 1}, kWork, kScratch});
          rounds.reduce(rank(to), {{block, 1}, kScratch, kWork},
                        rank(from) < rank(to) ? Operand::left : Operand::right);
        });
  }
}

std::uint64_t circulant_pipeline_blocks(const Problem& problem, std::uint64_t elements) {
  if (problem.segment_bytes != 0) {
    return segment_count(elements, segment_elements(problem, 0));
  }
  const std::uint32_t q = ceil_log2(problem.ranks);
  if (q == 0 || elements == 0) {
    return 1;
  }
  const double bytes = static_cast<double>(elements) * problem.element_bytes;
  const double best = std::round(std::sqrt(bytes * (q - 1) / kBytesPerStart));
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(best), 1, elements);
}

BlockLayout circulant_pipeline_layout(const Problem& problem) {
  if (problem.segment_bytes != 0) {
    return BlockLayout::segmented(problem.elements(), segment_elements(problem, 0),
                                  problem.element_bytes);
  }
  const std::uint64_t blocks = circulant_pipeline_blocks(problem, problem.elements());
  return BlockLayout::even(problem.elements(), static_cast<std::uint32_t>(blocks),
                           problem.element_bytes);
}

std::optional<Sentence> refuse_circulant_pipeline(const Problem& problem) {
  if (problem.segment_bytes > problem.bytes) {
    return sentence("a segment of {} bytes is larger than the vector of {} bytes",
                    problem.segment_bytes, problem.bytes);
  }
  const std::uint64_t blocks = circulant_pipeline_blocks(problem, problem.elements());
  // Each round needs a label level, and an allreduce has each round twice.
  if (const std::uint64_t most = kMaxLevel / 2 - ceil_log2(problem.ranks); blocks > most) {
    return sentence(
        "segments of {} bytes cut the vector into {} blocks, more than {}; use a larger $segment",
        problem.segment_bytes, blocks, most);
  }
  return std::nullopt;
}

}}  // namespace tutti::schedules
