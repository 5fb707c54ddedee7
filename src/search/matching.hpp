// Spreads blocks over a network: whenever a sender, a receiver and the links
// between them are free, the sender sends blocks that the receiver lacks.
//
// Source: Won et al., "TACOS: Topology-Aware Collective Algorithm Synthesizer" (MICRO 2024), which
// matches links to blocks step by step. Here, messages follow the routes of the platform and take
// the time that they take alone, so that networks with switches, and links of different speeds,
// need no preparation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/search/family.hpp"
#include "src/search/rank_routes.hpp"
#include "src/search/transfers.hpp"

namespace tutti { inline namespace search {

// The choices that the matching leaves open.
struct MatchingChoices {
  std::uint32_t blocks = 1;       // of the vector
  std::uint32_t most_blocks = 1;  // in a message
  double nearness = 0;            // weight of a near receiver in the score of a message
  double farthest = 1;            // only to ranks at most this far, as a share of the longest route
  double rareness = 1;            // weight of a rare block in the score of a message
  std::vector<float> preference;  // by sender and receiver: added to the score, from 0 to 1
};

// Matches senders, receivers and links. At the start, the root has all blocks if the goal's
// collective has a root; otherwise each rank has as many blocks as the others.
class Matching {
 public:
  explicit Matching(const Goal& goal);

  // Returns the least `farthest` with which blocks can reach all ranks.
  [[nodiscard]] double nearest() const { return nearest_; }
  // Returns the transfers after which every rank has all blocks, in the order of their starts.
  [[nodiscard]] std::vector<Transfer> transfers(const MatchingChoices& choices) const;

 private:
  friend class Spread;
  [[nodiscard]] double least_reach() const;

  RankRoutes routes_;
  std::uint32_t ports_;
  std::uint64_t bytes_;
  std::optional<Rank> root_;
  double nearest_ = 0;
};

}}  // namespace tutti::search
