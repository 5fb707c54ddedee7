// The nodes, cards and channels of NCCL's schedules. A node is --cores-per-node consecutive ranks,
// its GPUs; the last node may have fewer. --cards-per-node of them, spread evenly, have a network
// card. A channel enters every node at a GPU with a card, so the last node limits the number of
// different channels if it has fewer GPUs: NCCL uses the least number of channels of all nodes. If
// there are more channels than cards, the channels begin again at the first card; with a single
// node, every channel begins at GPU 0.
//
// Source: NCCL 2.30.7, src/graph/search.cc and src/graph/connect.cc. The search finds these orders
// on nodes with NVSwitch. NCCL_GRAPH_DUMP_FILE shows what it finds on a given node.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sentence.hpp"
#include "schedules/defaulted_number.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

class NcclChannels {
 public:
  // Implements Algorithm::refusal and Algorithm::limits.
  [[nodiscard]] static std::optional<Sentence> refusal(const Problem& problem);
  static constexpr std::array<std::string_view, 1> kLimits{
      "$cards_per_node that does not divide $cores_per_node"};

  // refusal(problem) must return nothing.
  explicit NcclChannels(const Problem& problem);

  // Number of nodes.
  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  // Number of GPUs of each node but the last one.
  [[nodiscard]] std::uint32_t gpus() const { return gpus_; }
  // Number of GPUs of `node`.
  [[nodiscard]] std::uint32_t gpus(std::uint32_t node) const {
    return node + 1 == nodes_ ? of_last_ : gpus_;
  }
  [[nodiscard]] bool even() const { return of_last_ == gpus_; }
  // Number of channels that differ from each other. Channel c + different() equals channel c.
  [[nodiscard]] std::uint32_t different() const { return different_; }
  [[nodiscard]] Rank rank(std::uint32_t node, std::uint32_t gpu) const {
    return node * gpus_ + gpu;
  }

  // The GPU at which a channel enters every node.
  [[nodiscard]] std::uint32_t entry(std::uint32_t channel) const {
    return gpus_per_card_ * (channel % different_);
  }
  // The GPUs of `node` in the order of a tree's chain: from the channel's entry upwards or, if
  // `down` is true, downwards, modulo the number of GPUs.
  [[nodiscard]] std::vector<std::uint32_t> chain(std::uint32_t channel, std::uint32_t node,
                                                 bool down = false) const;
  // The GPUs of `node` in the order in which the ring of a channel passes them.
  [[nodiscard]] std::vector<std::uint32_t> ring_in_node(std::uint32_t channel,
                                                        std::uint32_t node) const;
  // All ranks in the order of the ring of a channel, from rank 0 on.
  [[nodiscard]] std::vector<Rank> ring(std::uint32_t channel) const;

 private:
  std::uint32_t nodes_;
  std::uint32_t gpus_;
  std::uint32_t of_last_;  // number of GPUs of the last node
  std::uint32_t gpus_per_card_;
  std::uint32_t different_;
  RingOrder order_;
};

// The number of rings that differ: the number of cards of the smallest node, or 1 on a single node.
[[nodiscard]] std::uint32_t different_nccl_channels(const Problem& problem);
inline constexpr DefaultedNumber kNcclRings{Option::channels,
                                            &Problem::channels,
                                            0,
                                            different_nccl_channels,
                                            "the number of cards of the smallest node, or 1 on a "
                                            "single node",
                                            true};

// The number of cards of a node.
[[nodiscard]] inline std::uint32_t own_nccl_cards(const Problem& problem) {
  return problem.ranks_per_node;
}
inline constexpr DefaultedNumber kNcclCards{Option::cards, &Problem::cards, 0, own_nccl_cards,
                                            "one for each rank of a node"};

}}  // namespace tutti::schedules
