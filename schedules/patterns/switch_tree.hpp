// Trees of switches that combine data on the way up and multicast data on the way down, as the
// aggregation trees of SHARP do. Each link carries the vector once in each direction, whatever the
// number of ranks.
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

namespace tutti { inline namespace schedules {

class SwitchTree {
 public:
  struct Switch {
    // Number of the switch: p, p + 1, ... in the order of switches().
    Rank place;
    // The ranks or the switches directly below.
    std::vector<Rank> below;
    // `place` of the switch above; for the top switch, its own `place`.
    Rank above;
    // 0 for switches directly above ranks.
    std::uint32_t level;
  };

  // Builds a switch for each group of --groups, one for each group of such groups, and so on, and
  // one at the top if several switches are left. Without --groups, one switch serves all ranks. A
  // single rank has no switch. refusal(problem) must return nothing.
  explicit SwitchTree(const Problem& problem);
  // Returns a single switch above all ranks.
  static SwitchTree single(std::uint32_t ranks);

  // Implements Algorithm::refusal. kLimits has the cases in words, for Algorithm::limits.
  static std::optional<Sentence> refusal(const Problem& problem);
  static constexpr std::array<std::string_view, 3> kLimits{
      "$groups that do not match the ranks", "$groups that do not nest",
      "$groups that need a platform if none is given"};
  // Implements Algorithm::switches.
  static std::uint32_t count(const Problem& problem);
  // Implements Algorithm::keeps_order: true if each group has consecutive ranks. kOrder is this
  // condition in words.
  static bool keeps_order(const Problem& problem);
  static constexpr std::string_view kOrder = "groups of consecutive ranks";

  // The switches, those directly above ranks first, the top last.
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
  // Number of levels of switches, which is the number of links from a rank to the top.
  [[nodiscard]] std::uint32_t levels() const { return switches_.empty() ? 0 : top().level + 1; }
  // Number of label levels that up() uses.
  [[nodiscard]] std::uint32_t labels_up() const;

 private:
  SwitchTree() = default;
  void add_level(const std::vector<std::vector<Rank>>& groups, std::uint32_t level);

  std::uint32_t ranks_ = 0;
  std::vector<Switch> switches_;
  // The switch above each rank.
  std::vector<Rank> above_rank_;
};

// Determines whether a switch combines the data of the messages from below (reduce), or only waits
// for all of them, because they are only signs (meet; see signs.hpp).
enum class AtSwitches : std::uint8_t { reduce, meet };

// Moves some blocks over the tree. Each segment needs an object of its own; segments travel one
// after the other.
class SwitchTreeMoves {
 public:
  // `first`: the first level of labels.
  SwitchTreeMoves(ScheduleBuilder& builder, const SwitchTree& tree, const BlockSet& blocks,
                  std::uint32_t segment, std::uint32_t first = 0);

  // Combines what all ranks have in `work`, in the order of `Switch::below`, into `work` at the
  // top.
  void up(AtSwitches what);
  // Sends `work` of the top to `work` of all ranks.
  void down();
  // Sends `work` of the top to `work` of a single rank.
  void down_to(Rank rank);
  // Sends `work` of the root to `work` of all other ranks. Each switch forwards the data to all
  // neighbours except the sender. Replaces up() and down().
  void flood(Rank root);

 private:
  OpId send(std::uint32_t level, Rank from, Rank to);

  ScheduleBuilder& builder_;
  const SwitchTree& tree_;
  BlockSet blocks_;
  std::uint32_t segment_;
  std::uint32_t first_;
  // By place: the operation after which the place may pass on its `work`.
  std::vector<OpId> known_;
  // By place: the message that the place sent up, which must be over before more data arrive at the
  // place.
  std::vector<OpId> sent_;
};

// Returns the time of segments that travel, one after the other, over 2 L links, where L is the
// number of levels of switches. This is the way up and down the whole tree.
[[nodiscard]] std::optional<double> switch_tree_s(const Problem& problem, const Prices& prices);

}}  // namespace tutti::schedules
