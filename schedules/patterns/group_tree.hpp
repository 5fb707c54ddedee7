// The groups of a problem, the groups of these groups, and so on, each with a leader. Groups come
// from --groups; by default, --cores-per-node consecutive ranks form a group.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sentence.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

// Selects the member that represents its group on the next level.
enum class Leaders : std::uint8_t {
  // The lowest rank.
  first,
  // The member whose index in its group is the root's index in the root's group; the last member if
  // the group is too small.
  as_the_root
};

class GroupTree {
 public:
  struct Group {
    std::vector<Rank> members;  // ranks; on higher levels, leaders of the level below
    // The ranks that each member represents, including the member itself. Within the smallest
    // groups, ranks are ascending.
    std::vector<std::vector<Rank>> stands_for;
    std::uint32_t leader = 0;           // index among the members
    std::optional<std::uint32_t> root;  // index of the member that represents the root

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(members.size()); }
    [[nodiscard]] Rank leader_rank() const { return members[leader]; }
  };

  // Returns the reason why the groups are invalid, for Algorithm::refusal.
  static std::optional<Sentence> refusal(const Problem& problem);
  // The cases of refusal() in words, for Algorithm::limits.
  static constexpr std::array<std::string_view, 3> kLimits{
      "$groups that do not match the ranks", "$groups that do not nest",
      "$groups that need a platform if none is given"};

  // refusal(problem) must return nothing. With Leaders::as_the_root, the leaders depend on
  // `problem.root`.
  GroupTree(const Problem& problem, Leaders leaders);

  // Levels of groups below the top, with the smallest groups first.
  [[nodiscard]] const std::vector<std::vector<Group>>& levels() const { return levels_; }
  // The group that consists of the leaders of the largest groups.
  [[nodiscard]] const Group& top() const { return top_; }
  // True if, on each level, all groups have the same number of members.
  [[nodiscard]] bool even() const;

 private:
  std::vector<std::vector<Group>> levels_;
  Group top_;
};

}}  // namespace tutti::schedules
