#include "schedules/patterns/group_tree.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/plural.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Returns the group of each rank on each level.
std::vector<std::vector<std::uint32_t>> groups_of_ranks(const Problem& problem) {
  std::vector<std::vector<std::uint32_t>> groups;
  groups.reserve(std::max<std::size_t>(problem.groups.levels.size(), 1));
  for (const GroupLevel& level : problem.groups.levels) {
    groups.push_back(level.of_ranks(problem.ranks));
  }
  if (groups.empty()) {
    const GroupLevel nodes{GroupLevel::Kind::consecutive, problem.ranks_per_node, {}};
    groups.push_back(nodes.of_ranks(problem.ranks));
  }
  return groups;
}

}  // namespace

std::optional<Sentence> GroupTree::refusal(const Problem& problem) {
  if (problem.groups.levels.empty() && problem.ranks_per_node == 0) {
    return "$cores_per_node 0: must be at least 1";
  }
  for (const GroupLevel& level : problem.groups.levels) {
    if (!level.known()) {
      return sentence(
          "$groups '{}': this needs a platform; give one, or write the number of ranks in a group",
          to_text(Groups{{level}}));
    }
    if (level.kind == GroupLevel::Kind::listed && level.group_of_rank.size() != problem.ranks) {
      return sentence("$groups lists {}, but the problem has {}",
                      number_of(level.group_of_rank.size(), "rank"), problem.ranks);
    }
  }
  const auto groups = groups_of_ranks(problem);
  for (std::size_t level = 1; level < groups.size(); ++level) {
    // The group around each group of the level below.
    std::vector<std::uint32_t> around(problem.ranks, problem.ranks);
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      std::uint32_t& outer = around[groups[level - 1][rank]];
      if (outer != problem.ranks && outer != groups[level][rank]) {
        return sentence(
            "$groups '{}': groups do not nest; each must lie within one group of the next level",
            to_text(problem.groups));
      }
      outer = groups[level][rank];
    }
  }
  return std::nullopt;
}

GroupTree::GroupTree(const Problem& problem, Leaders leaders) {
  const Rank root = has_root(problem.collective) ? problem.root : 0;
  // The members that are still to be grouped: first all ranks, then the leaders.
  std::vector<Rank> members(problem.ranks);
  std::vector<std::vector<Rank>> stands_for(problem.ranks);
  std::uint32_t at_root = root;  // index of the member that represents the root
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    members[rank] = rank;
    stands_for[rank] = {rank};
  }
  for (const std::vector<std::uint32_t>& group_of : groups_of_ranks(problem)) {
    std::vector<Group> groups;
    // The index in `groups` of each group, by the number of the group.
    std::vector<std::uint32_t> place(problem.ranks, problem.ranks);
    std::uint32_t with_root = 0;
    for (std::uint32_t at = 0; at < members.size(); ++at) {
      std::uint32_t& group = place[group_of[members[at]]];
      if (group == problem.ranks) {
        group = static_cast<std::uint32_t>(groups.size());
        groups.emplace_back();
      }
      if (at == at_root) {
        groups[group].root = groups[group].size();
        with_root = group;
      }
      groups[group].members.push_back(members[at]);
      groups[group].stands_for.push_back(std::move(stands_for[at]));
    }
    members.clear();
    stands_for.clear();
    for (Group& group : groups) {
      if (leaders == Leaders::as_the_root) {
        group.leader = std::min(*groups[with_root].root, group.size() - 1);
      }
      members.push_back(group.leader_rank());
      std::vector<Rank>& all = stands_for.emplace_back();
      for (const std::vector<Rank>& some : group.stands_for) {
        all.insert(all.end(), some.begin(), some.end());
      }
    }
    at_root = with_root;
    levels_.push_back(std::move(groups));
  }
  top_ = {std::move(members), std::move(stands_for), 0, at_root};
}

bool GroupTree::even() const {
  return std::all_of(levels_.begin(), levels_.end(), [](const std::vector<Group>& groups) {
    return std::all_of(groups.begin(), groups.end(),
                       [&](const Group& group) { return group.size() == groups.front().size(); });
  });
}

}}  // namespace tutti::schedules
