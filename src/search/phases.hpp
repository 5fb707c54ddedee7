// The messages of an all-to-all, divided into phases without contention.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/search/family.hpp"

namespace tutti { inline namespace search {

struct Pair {
  Rank src = 0;
  Rank dst = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};
using Phase = std::vector<Pair>;

class PhasePlanner {
 public:
  // Looks at the routes between all ranks.
  explicit PhasePlanner(const Goal& goal);

  // True if the routes form a tree of switches with one rank on each host: each link parts the
  // ranks into senders and receivers.
  [[nodiscard]] bool is_tree() const { return !subtrees_.empty(); }
  // Number of messages of the link that has the most; no schedule of direct messages has fewer
  // phases, unless a link carries several messages at full rate.
  [[nodiscard]] std::uint32_t busiest() const { return busiest_; }

  // Returns as few phases as busiest(). Only if is_tree().
  //
  // Source: Faraj and Yuan, "Bandwidth Efficient All-to-All Broadcast on Switched Clusters" and
  // "Message Scheduling for All-to-All Personalized Communication on Ethernet Switched Clusters"
  // (IPDPS 2005). The messages between the subtrees of the root are scheduled as in their extended
  // ring; those within a subtree are then matched to phases in which they meet no other message.
  [[nodiscard]] std::vector<Phase> on_tree() const;
  // Takes pairs into a phase while they fit, in the order of what their ranks and links still have
  // to do and, where that is equal, of `preference`, which has a number from 0 to 1 by sender and
  // receiver.
  [[nodiscard]] std::vector<Phase> greedy(std::span<const float> preference) const;

  // Number of links, and the numbers of those between two ranks.
  [[nodiscard]] std::size_t links_in_use() const { return messages_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> links(const Pair& pair) const {
    const std::size_t at = std::size_t{pair.src} * ranks_ + pair.dst;
    return std::span(links_).subspan(rows_[at], rows_[at + 1] - rows_[at]);
  }
  // Number of messages that a link carries at full rate.
  [[nodiscard]] std::uint32_t carries(std::uint32_t link) const { return carries_[link]; }

 private:
  void find_subtrees();
  [[nodiscard]] std::vector<Phase> between_subtrees(SearchRandom* random) const;
  [[nodiscard]] bool add_inside(std::vector<Phase>& phases) const;

  std::uint32_t ranks_;
  std::uint32_t ports_;
  std::vector<std::uint32_t> rows_{0};  // into links_, by sender and receiver
  std::vector<std::uint32_t> links_;
  std::vector<std::uint32_t> carries_;   // number of messages that a link carries at full rate
  std::vector<std::uint32_t> messages_;  // of each link, in the whole all-to-all
  std::uint32_t busiest_ = 0;
  std::vector<std::vector<Rank>> subtrees_;  // of the root, the largest first
};

}}  // namespace tutti::search
