// The groups of a problem, groups of these, and so on, and who stands for each: by --groups, or
// --cores-per-node consecutive ranks each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sentence.hpp"
#include "schedules/problem.hpp"

namespace tutti::inline schedules {

// Which of a group's members stands for it on the next level.
enum class Leaders : std::uint8_t {
  first,       // the lowest rank
  as_the_root  // the one at the place that the root has in its own group, or the last one
};

class GroupTree {
 public:
  struct Group {
    std::vector<Rank> members;  // of the level below, those that stand for groups
    // The ranks that each stands for, itself among them; ascending by group.
    std::vector<std::vector<Rank>> stands_for;
    std::uint32_t leader = 0;           // index among the members
    std::optional<std::uint32_t> root;  // index of the member that stands for the root, or is it

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(members.size()); }
    [[nodiscard]] Rank leader_rank() const { return members[leader]; }
  };

  // Says why the groups cannot be, for Algorithm::refusal.
  static std::optional<Sentence> refusal(const Problem& problem);
  // It in words, for Algorithm::limits.
  static constexpr std::array<std::string_view, 3> kLimits{
      "$groups of other ranks", "$groups that do not nest",
      "$groups of a platform where there is none"};

  // `problem` must not be refused. Where leaders are as the root, `problem.root` counts.
  GroupTree(const Problem& problem, Leaders leaders);

  // Levels of groups below the top, the smallest groups first.
  [[nodiscard]] const std::vector<std::vector<Group>>& levels() const { return levels_; }
  // All that stand for the largest groups.
  [[nodiscard]] const Group& top() const { return top_; }
  // Whether all groups of each level have as many members.
  [[nodiscard]] bool even() const;

 private:
  std::vector<std::vector<Group>> levels_;
  Group top_;
};

}  // namespace tutti::inline schedules
