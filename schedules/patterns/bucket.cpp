#include "schedules/patterns/bucket.hpp"

#include <algorithm>
#include <numeric>

namespace tutti { inline namespace schedules {

namespace {

std::uint64_t product_of(const std::vector<std::uint32_t>& sizes) {
  // The product is capped at a value that is larger than any number of ranks.
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{1},
                         [](std::uint64_t product, std::uint32_t size) {
                           return std::min<std::uint64_t>(product * size, kSameBlocks);
                         });
}

}  // namespace

std::vector<std::uint32_t> grid_of(const Problem& problem) {
  return problem.dims.sizes.empty() ? balanced_dims(problem.ranks, 2).sizes : problem.dims.sizes;
}

BlockLayout bucket_layout(const Problem& problem) {
  return layout_in_parts(problem, kOneChannel.of(problem));
}

std::optional<Sentence> refuse_bucket(const Problem& problem) {
  const std::vector<std::uint32_t> sizes = grid_of(problem);
  if (product_of(sizes) != problem.ranks) {
    return sentence("$dims {}: the product of the sizes must be {}, the number of ranks",
                    to_text(Dims{sizes}), problem.ranks);
  }
  if (problem.channels > 2 * sizes.size()) {
    return sentence(
        "{} channels are too many: a grid of {} allows two for each of its {} dimensions",
        problem.channels, to_text(Dims{sizes}), sizes.size());
  }
  return std::nullopt;
}

Bucket::Bucket(const Problem& problem) : ranks_(problem.ranks), channels_(kOneChannel.of(problem)) {
  std::vector<Axis> axes;
  std::uint32_t distance = 1;
  for (const std::uint32_t size : grid_of(problem)) {
    axes.push_back({size, distance});
    distance *= size;
    steps_ += size - 1;
  }
  rings_.resize(channels_);
  for (std::uint32_t channel = 0; channel < channels_; ++channel) {
    std::vector<Axis> order = axes;
    std::rotate(order.begin(), order.begin() + channel / 2, order.end());
    for (auto axis = order.begin(); axis != order.end(); ++axis) {
      std::vector<std::uint32_t> blocks{0};
      for (auto later = axis + 1; later != order.end(); ++later) {
        const std::size_t found = blocks.size();
        for (std::uint32_t at = 1; at < later->size; ++at) {
          for (std::size_t i = 0; i < found; ++i) {
            blocks.push_back(blocks[i] + at * later->distance);
          }
        }
      }
      std::sort(blocks.begin(), blocks.end());
      rings_[channel].push_back({*axis, channel % 2 == 0, {order.begin(), axis}, blocks});
    }
  }
}

std::uint32_t Bucket::place(const Ring& ring, Rank rank, std::uint32_t back) {
  const std::uint32_t size = ring.axis.size;
  return (ring.axis.place(rank) + (ring.up ? size - back % size : back)) % size;
}

Rank Bucket::next(const Ring& ring, Rank rank) {
  const std::uint32_t at = ring.axis.place(rank);
  const std::uint32_t size = ring.axis.size;
  return rank - at * ring.axis.distance +
         (ring.up ? at + 1 : at + size - 1) % size * ring.axis.distance;
}

template <typename Visit>
void Bucket::with_blocks(std::uint32_t channel, const Ring& ring, Rank rank, std::uint32_t back,
                         Visit&& visit) const {
  std::uint32_t first = place(ring, rank, back) * ring.axis.distance;
  for (const Axis& axis : ring.before) {
    first += axis.place(rank) * axis.distance;
  }
  if (channels_ == 1) {
    visit(BlockSet{first, static_cast<std::uint32_t>(ring.blocks.size()), 1,
                   ring.axis.distance * ring.axis.size});
    return;
  }
  thread_local std::vector<BlockPair> pairs;
  pairs.clear();
  for (const std::uint32_t block : ring.blocks) {
    const std::uint32_t part = (first + block) * channels_ + channel;
    pairs.push_back({part, part});
  }
  visit(pairs);
}

namespace {

void send(Rounds& rounds, Rank from, Rank to, const BlockSet& blocks, Place into) {
  rounds.comm(from, to, {blocks, kWork, into});
}
void send(Rounds& rounds, Rank from, Rank to, const std::vector<BlockPair>& blocks, Place into) {
  rounds.comm(from, to, blocks, kWork, into);
}
void add(Rounds& rounds, Rank rank, const BlockSet& blocks) {
  rounds.reduce(rank, {blocks, kScratch, kWork}, Operand::left);
}
void add(Rounds& rounds, Rank rank, const std::vector<BlockPair>& blocks) {
  rounds.reduce(rank, blocks, kScratch, kWork, Operand::left);
}

// Returns the ring to which `step` of a channel belongs, and the index of the step in that ring.
template <typename Rings>
auto ring_of_step(const Rings& rings, std::uint32_t step) {
  auto ring = rings.begin();
  for (; step >= ring->axis.size - 1; ++ring) {
    step -= ring->axis.size - 1;
  }
  return std::pair{ring, step};
}

// Calls emit(step, channel) for all channels of each step, in order. Steps are alike as long as no
// channel goes on to another ring; steps_in_ring(step, channel) returns how many steps from this
// one on the channel has in its ring.
template <typename StepsInRing, typename Emit>
void each_step(std::vector<Rounds>& rounds, std::uint32_t steps, StepsInRing&& steps_in_ring,
               Emit&& emit) {
  const auto channels = static_cast<std::uint32_t>(rounds.size());
  for (std::uint32_t first = 0; first < steps;) {
    std::uint32_t count = steps - first;
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
      count = std::min(count, steps_in_ring(first, channel));
    }
    for (const std::uint32_t step : rounds.front().alike(count)) {
      for (std::uint32_t channel = 0; channel < channels; ++channel) {
        rounds[channel].next(channel);
        emit(first + step, channel);
      }
    }
    first += count;
  }
}

}  // namespace

void Bucket::reduce_scatter(std::vector<Rounds>& rounds) const {
  const auto steps_in_ring = [&](std::uint32_t step, std::uint32_t channel) {
    const auto [ring, own_step] = ring_of_step(rings_[channel], step);
    return ring->axis.size - 1 - own_step;
  };
  each_step(rounds, steps_, steps_in_ring, [&](std::uint32_t step, std::uint32_t channel) {
    const auto [ring, own_step] = ring_of_step(rings_[channel], step);
    Rounds& own = rounds[channel];
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const Rank to = next(*ring, rank);  // old clang cannot capture structured bindings
      with_blocks(channel, *ring, rank, own_step + 1,
                  [&](const auto& blocks) { send(own, rank, to, blocks, kScratch); });
    }
    for (Rank rank = 0; rank < ranks_; ++rank) {
      with_blocks(channel, *ring, rank, own_step + 2,
                  [&](const auto& blocks) { add(own, rank, blocks); });
    }
  });
}

void Bucket::allgather(std::vector<Rounds>& rounds) const {
  // The rings run in reverse order, but each begins with its first step.
  const auto steps_in_ring = [&](std::uint32_t step, std::uint32_t channel) {
    return ring_of_step(rings_[channel], steps_ - 1 - step).second + 1;
  };
  each_step(rounds, steps_, steps_in_ring, [&](std::uint32_t step, std::uint32_t channel) {
    const auto [ring, left] = ring_of_step(rings_[channel], steps_ - 1 - step);
    const std::uint32_t own_step = ring->axis.size - 2 - left;
    Rounds& own = rounds[channel];
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const Rank to = next(*ring, rank);
      with_blocks(channel, *ring, rank, own_step,
                  [&](const auto& blocks) { send(own, rank, to, blocks, kWork); });
    }
  });
}

}}  // namespace tutti::schedules
