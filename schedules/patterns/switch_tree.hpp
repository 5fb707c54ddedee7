// Trees of switches that combine what comes from below and multicast what comes from above, as the
// aggregation trees of SHARP: each link carries a vector once each way, however many ranks there
// are.
//
// Source: Graham et al., "Scalable Hierarchical Aggregation Protocol (SHARP): A Hardware
// Architecture for Efficient Data Reduction", COMHPC 2016.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sentence.hpp"
#include "schedules/builder.hpp"
#include "schedules/prices.hpp"
#include "schedules/problem.hpp"

namespace tutti::inline schedules {

class SwitchTree {
 public:
  struct Switch {
    Rank place;               // p, p + 1, ... in the order of switches()
    std::vector<Rank> below;  // ranks, or switches
    Rank above;               // the place; its own at the top
    std::uint32_t level;      // 0: next to ranks
  };

  // A switch for each group of --groups, one for each group of these, and so on, and one at the top
  // where there are several; without --groups one for all ranks. On one rank there is none. The
  // problem must not be refused.
  explicit SwitchTree(const Problem& problem);
  // One switch around all ranks.
  static SwitchTree single(std::uint32_t ranks);

  // For Algorithm::refusal, and the cases of it in words for Algorithm::limits.
  static std::optional<Sentence> refusal(const Problem& problem);
  static constexpr std::array<std::string_view, 3> kLimits{
      "$groups of other ranks", "$groups that do not nest",
      "$groups of a platform where there is none"};
  // For Algorithm::switches.
  static std::uint32_t count(const Problem& problem);
  // For Algorithm::keeps_order: each group is of consecutive ranks. In words, for order_kept.
  static bool keeps_order(const Problem& problem);
  static constexpr std::string_view kOrder = "groups of consecutive ranks";

  // Those next to ranks first, the top last.
  [[nodiscard]] const std::vector<Switch>& switches() const { return switches_; }
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  [[nodiscard]] std::uint32_t places() const {
    return ranks_ + static_cast<std::uint32_t>(switches_.size());
  }
  [[nodiscard]] const Switch& top() const { return switches_.back(); }
  [[nodiscard]] const Switch& at(Rank place) const { return switches_[place - ranks_]; }
  [[nodiscard]] bool is_switch(Rank place) const { return place >= ranks_; }
  [[nodiscard]] std::size_t links() const { return places() - std::size_t{1}; }
  // The switch above a rank or a switch.
  [[nodiscard]] Rank above(Rank place) const {
    return is_switch(place) ? at(place).above : above_rank_[place];
  }
  // Levels of switches: links from a rank to the top.
  [[nodiscard]] std::uint32_t levels() const { return switches_.empty() ? 0 : top().level + 1; }
  // Levels of labels that going up takes.
  [[nodiscard]] std::uint32_t labels_up() const;

 private:
  SwitchTree() = default;
  void add_level(const std::vector<std::vector<Rank>>& groups, std::uint32_t level);

  std::uint32_t ranks_ = 0;
  std::vector<Switch> switches_;
  std::vector<Rank> above_rank_;  // by rank
};

// What switches do with what comes from below: combine it, or, where that is signs alone, wait for
// all of it.
enum class AtSwitches : std::uint8_t { reduce, meet };

// Moves some blocks over the tree; one for each segment, so that segments follow each other.
class SwitchTreeMoves {
 public:
  // `first`: the level of labels to begin with.
  SwitchTreeMoves(ScheduleBuilder& builder, const SwitchTree& tree, const BlockSet& blocks,
                  std::uint32_t segment, std::uint32_t first = 0);

  // What all ranks have in `work`, combined in the order of their places below, into `work` at the
  // top.
  void up(AtSwitches what);
  // From `work` at the top into that of all ranks.
  void down();
  // Likewise, of one rank alone.
  void down_to(Rank rank);
  // From `work` of the rank into that of all others: each switch passes it on to all but whom it
  // has it from. In place of the others.
  void flood(Rank root);

 private:
  OpId send(std::uint32_t level, Rank from, Rank to);

  ScheduleBuilder& builder_;
  const SwitchTree& tree_;
  BlockSet blocks_;
  std::uint32_t segment_;
  std::uint32_t first_;
  std::vector<OpId> known_;  // by place: after this its `work` has what it is to pass on
  std::vector<OpId> sent_;   // by place: what it has sent up, which must be gone before more comes
};

// Of segments that go up and down the whole tree, or as far: over 2 L links, L the levels of
// switches, each segment behind the one before it.
[[nodiscard]] std::optional<double> switch_tree_s(const Problem& problem, const Prices& prices);

}  // namespace tutti::inline schedules
