// Which ranks the tokens of a mixture of experts go to.
//
// Each rank has the same number of tokens, and each token goes to `top` different experts. A token
// has copies: one for each of its experts. A copy over the capacity of its expert is dropped.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rows.hpp"
#include "schedules/op.hpp"

namespace tutti { inline namespace schedules {

inline constexpr std::uint32_t kMostExperts = 1U << 16U;
// Most copies of all tokens together, and most tokens of a rank.
inline constexpr std::uint64_t kMostTokenCopies = std::uint64_t{1} << 28U;
inline constexpr std::uint32_t kMostTokens = 1U << 24U;
inline constexpr double kMostSkew = 10;
inline constexpr double kLeastCapacity = 0.01;

// How tokens choose their experts. Expert e is at rank e / (experts / ranks).
//
// The experts have a random order of popularity. The experts of a token are drawn one after
// another, without repetition, with probabilities in proportion to i^-skew for the i-th most
// popular expert, where i begins at 1. Once a token has experts on `most_nodes` nodes, its other
// experts are drawn from these nodes.
struct ExpertRouting {
  std::uint32_t experts = 1;
  std::uint32_t top = 1;
  std::uint32_t tokens = 1;      // of each rank
  double skew = 0;               // 0: all experts are equally popular
  double capacity = 0;           // times the mean number of copies of an expert; 0: no limit
  std::uint32_t most_nodes = 0;  // 0: no limit
  std::uint32_t seed = 1;

  friend bool operator==(const ExpertRouting&, const ExpertRouting&) = default;
};

// Copies that each rank sends and receives, its own included.
struct CopyCounts {
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> received;

  // Returns the largest number of received copies, divided by the mean; 1 without copies.
  [[nodiscard]] double load() const;
};

class RoutedTokens {
 public:
  // Draws the experts. Ranks r*ranks_per_node to (r+1)*ranks_per_node - 1 are on a node. Throws
  // UserError if the experts cannot be divided among the ranks, if a token has more experts than
  // there are (on `most_nodes` nodes), or if there are too many tokens.
  RoutedTokens(const ExpertRouting& routing, std::uint32_t ranks, std::uint32_t ranks_per_node);

  [[nodiscard]] const ExpertRouting& routing() const { return routing_; }
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  [[nodiscard]] std::uint32_t ranks_per_node() const { return ranks_per_node_; }
  [[nodiscard]] std::uint32_t nodes() const { return ranks_ / ranks_per_node_; }

  // Token t of rank r is number r * tokens + t. Returns the ranks of its experts, ascending, each
  // once. Dropped copies do not count.
  [[nodiscard]] std::span<const Rank> ranks_of(std::uint32_t token) const { return away_[token]; }
  // Number of copies from rank s to rank d, at index s * ranks + d.
  [[nodiscard]] const std::vector<std::uint64_t>& copies() const { return copies_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  [[nodiscard]] CopyCounts counts() const;
  // Mean number of copies of a token that leave its node.
  [[nodiscard]] double copies_to_other_nodes() const;
  // Mean number of other nodes that a token goes to.
  [[nodiscard]] double other_nodes() const;

 private:
  ExpertRouting routing_;
  std::uint32_t ranks_;
  std::uint32_t ranks_per_node_;
  std::uint64_t dropped_ = 0;
  std::vector<std::uint64_t> copies_;
  Rows<Rank> away_;
};

// Return the same in closed form, for equally popular experts and draws with repetition: the mean
// number of copies of a token that leave its node, top (N-1)/N, and the mean number of other nodes
// that it goes to, N (1 - (1-1/N)^top) (N-1)/N, on N nodes.
[[nodiscard]] double mean_copies_to_other_nodes(std::uint32_t top, std::uint32_t nodes);
[[nodiscard]] double mean_other_nodes(std::uint32_t top, std::uint32_t nodes);

// Returns the bytes that rank s sends to rank d, at index s * ranks + d, if each rank sends
// `elements` elements, and rank 0 receives `load` times as much as the ranks receive on average.
// All ranks send the same to a given rank. Throws UserError unless 1 <= load <= ranks.
[[nodiscard]] std::vector<std::uint64_t> loaded_blocks(std::uint32_t ranks, std::uint64_t elements,
                                                       std::uint32_t element_bytes, double load);

}}  // namespace tutti::schedules
