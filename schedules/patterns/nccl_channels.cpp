#include "schedules/patterns/nccl_channels.hpp"

#include <algorithm>
#include <utility>

#include "base/plural.hpp"

namespace tutti { inline namespace schedules {

namespace {

std::uint32_t cards_of(const Problem& problem) { return kNcclCards.of(problem); }

// Returns the GPUs from `first` on, upwards or downwards, modulo their number.
std::vector<std::uint32_t> turn(std::uint32_t gpus, std::uint32_t first, bool down) {
  std::vector<std::uint32_t> order;
  order.reserve(gpus);
  for (std::uint32_t place = 0; place < gpus; ++place) {
    order.push_back((first + (down ? gpus - place : place)) % gpus);
  }
  return order;
}

}  // namespace

std::optional<Sentence> NcclChannels::refusal(const Problem& problem) {
  const std::uint32_t gpus = problem.ranks_per_node;
  if (gpus == 0) {
    return "$cores_per_node 0: must be at least 1";
  }
  if (gpus % cards_of(problem) != 0) {
    return sentence("$cards_per_node {} does not divide the {} of a node", cards_of(problem),
                    number_of(gpus, "GPU"));
  }
  return std::nullopt;
}

NcclChannels::NcclChannels(const Problem& problem)
    : nodes_((problem.ranks - 1) / problem.ranks_per_node + 1),
      gpus_(std::min(problem.ranks, problem.ranks_per_node)),
      of_last_(problem.ranks - (nodes_ - 1) * gpus_),
      gpus_per_card_(problem.ranks_per_node / cards_of(problem)),
      different_(different_nccl_channels(problem)),
      order_(problem.ring_order) {}

std::vector<std::uint32_t> NcclChannels::chain(std::uint32_t channel, std::uint32_t node,
                                               bool down) const {
  return turn(gpus(node), entry(channel), down);
}

std::vector<std::uint32_t> NcclChannels::ring_in_node(std::uint32_t channel,
                                                      std::uint32_t node) const {
  if (nodes_ == 1) {
    return turn(gpus_, 0, false);
  }
  std::uint32_t own = channel % different_;
  // NCCL exchanges rings only if their number is even (ncclTopoPostset).
  if (order_ == RingOrder::crossed && node % 2 == 1 && different_ % 2 == 0) {
    own ^= 1U;
  }
  return turn(gpus(node), entry(own), order_ == RingOrder::own || own % 2 == 0);
}

std::vector<Rank> NcclChannels::ring(std::uint32_t channel) const {
  std::vector<Rank> ring;
  ring.reserve(std::size_t{nodes_ - 1} * gpus_ + of_last_);
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    for (const std::uint32_t gpu : ring_in_node(channel, node)) {
      ring.push_back(rank(node, gpu));
    }
  }
  std::rotate(ring.begin(), std::find(ring.begin(), ring.end(), 0U), ring.end());
  return ring;
}

std::uint32_t different_nccl_channels(const Problem& problem) {
  const std::uint32_t gpus = problem.ranks_per_node;
  if (problem.ranks <= gpus || NcclChannels::refusal(problem)) {
    return 1;
  }
  const std::uint32_t cards = cards_of(problem);
  const std::uint32_t of_last = problem.ranks % gpus;
  return of_last == 0 ? cards : (of_last - 1) / (gpus / cards) + 1;
}

}}  // namespace tutti::schedules
