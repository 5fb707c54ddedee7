#include "schedules/patterns/multi_ring.hpp"

namespace tutti { inline namespace schedules {

MultiRing::MultiRing(const Problem& problem) : p_(problem.ranks) {
  // Strides up to p/2 that are coprime to p. A ring with a larger stride is the reverse of a ring
  // with a smaller one.
  std::vector<std::uint32_t> coprime;
  for (std::uint32_t stride = 1; stride == 1 || 2 * stride < p_; ++stride) {
    if (std::gcd(stride, p_) == 1) {
      coprime.push_back(stride);
    }
  }
  const std::uint32_t channels = kTwoChannels.of(problem);
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    const std::uint32_t stride = coprime[channel / 2 % coprime.size()] % p_;
    strides_.push_back(channel % 2 == 0 || stride == 0 ? stride : p_ - stride);
  }
}

void MultiRing::reduce_scatter(std::vector<Rounds>& rounds) const {
  for (const std::uint32_t step : rounds.front().alike(p_ - 1)) {
    for (std::uint32_t channel = 0; channel < strides_.size(); ++channel) {
      Rounds& own = rounds[channel];
      own.next(channel);
      const Rank sent = ahead(channel, step + 1);
      const Rank received = ahead(channel, step + 2);
      for (const Rank rank : own.emitted_ranks()) {
        own.comm(rank, plus(rank, strides_[channel]),
                 {block(channel, rank, sent), kWork, kScratch});
      }
      for (const Rank rank : own.emitted_ranks()) {
        own.reduce(rank, {block(channel, rank, received), kScratch, kWork}, Operand::left);
      }
    }
  }
}

void MultiRing::allgather(std::vector<Rounds>& rounds) const {
  for (const std::uint32_t step : rounds.front().alike(p_ - 1)) {
    for (std::uint32_t channel = 0; channel < strides_.size(); ++channel) {
      Rounds& own = rounds[channel];
      own.next(channel);
      const Rank sent = ahead(channel, step);
      for (const Rank rank : own.emitted_ranks()) {
        own.comm(rank, plus(rank, strides_[channel]), {block(channel, rank, sent), kWork, kWork});
      }
    }
  }
}

}}  // namespace tutti::schedules
