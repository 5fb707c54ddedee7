// Makes hierarchies in which the ranks of a group divide the vector among each other, and each rank
// takes part in collectives across groups on its part of the vector.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "schedules/patterns/hierarchy_stages.hpp"

namespace tutti { inline namespace schedules {

// Adds the blocks of a call within a group: one for each lane, and an empty one for each rank
// without a lane.
std::uint32_t HierarchyStages::lane_blocks(const GroupTree::Group& group) {
  std::vector<GroupCalls::Pieces> pieces(group.size());
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    pieces[lane] = {lane};
  }
  return calls_->add_blocks(std::move(pieces));
}

void HierarchyStages::add_shares(const NamedStage& part, const RootOf& root_of) {
  Stage stage;
  stage.within_nodes = true;
  for (std::size_t at = 0; at < groups(0).size(); ++at) {
    const GroupTree::Group& group = groups(0)[at];
    if (const std::optional<std::uint32_t> root = root_of(group); root && group.size() > 1) {
      stage.calls.push_back(
          {part, groups_[0][at], group.size(), *root, lane_blocks(group), std::nullopt});
    }
  }
  stages_.push_back(std::move(stage));
}

void HierarchyStages::add_lanes(const NamedStage& part, std::uint32_t root) {
  Stage stage;
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    std::vector<Rank> members;
    for (const GroupTree::Group& group : groups(0)) {
      members.push_back(group.members[lane]);
    }
    const auto ranks = static_cast<std::uint32_t>(members.size());
    stage.calls.push_back(
        {part, calls_->add_group(std::move(members)), ranks, root, std::nullopt, lane});
  }
  stages_.push_back(std::move(stage));
}

// Adds a stage within groups. Each block combines the blocks of the ranks at one place in all
// groups.
void HierarchyStages::add_places(const NamedStage& part, const RootOf& root_of) {
  std::vector<GroupCalls::Pieces> at_place(lanes_);
  for (const GroupTree::Group& group : groups(0)) {
    for (std::uint32_t place = 0; place < lanes_; ++place) {
      at_place[place].push_back(group.members[place]);
    }
  }
  for (GroupCalls::Pieces& pieces : at_place) {
    std::sort(pieces.begin(), pieces.end());
  }
  const std::uint32_t blocks = calls_->add_blocks(std::move(at_place));
  Stage stage;
  stage.within_nodes = true;
  for (std::size_t at = 0; at < groups(0).size(); ++at) {
    const GroupTree::Group& group = groups(0)[at];
    if (const std::optional<std::uint32_t> root = root_of(group); root && group.size() > 1) {
      stage.calls.push_back({part, groups_[0][at], group.size(), *root, blocks, std::nullopt});
    }
  }
  stages_.push_back(std::move(stage));
}

// Adds a stage on each lane, which moves the blocks of the lane's own ranks.
void HierarchyStages::add_place_lanes(const NamedStage& part, std::uint32_t root) {
  Stage stage;
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    std::vector<Rank> members;
    std::vector<GroupCalls::Pieces> own;
    for (const GroupTree::Group& group : groups(0)) {
      members.push_back(group.members[lane]);
      own.push_back({group.members[lane]});
    }
    const auto ranks = static_cast<std::uint32_t>(members.size());
    const std::uint32_t blocks = calls_->add_blocks(std::move(own));
    stage.calls.push_back(
        {part, calls_->add_group(std::move(members)), ranks, root, blocks, std::nullopt});
  }
  stages_.push_back(std::move(stage));
}

// Makes the stages if every rank owns a part of the vector: each lane moves the parts of its own
// ranks.
void HierarchyStages::make_place_lanes() {
  const Collective collective = problem_.collective;
  const auto all = [](const GroupTree::Group&) { return std::optional(0U); };
  const auto of_root = [](const GroupTree::Group& group) { return group.root; };
  const std::uint32_t top_root = tree_.top().root.value_or(0);
  const NamedStage near = within(0, {collective}, 0);
  const NamedStage far = across(collective);
  if (!tree_.even()) {
    throw UserError("groups differ in size: each lane needs one rank of every group");
  }
  switch (collective) {
    case Collective::gather:
      // All lanes end at the same time, each at its rank of the root's group.
      add_place_lanes(far, top_root);
      return add_places(near, of_root);
    case Collective::scatter:
      end_together_ = false;
      add_places(near, of_root);
      return add_place_lanes(far, top_root);
    case Collective::allgather:
      end_together_ = far.first.algorithm->symmetry != nullptr;
      add_place_lanes(far, 0);
      return add_places(near, all);
    default:
      TUTTI_INVARIANT(reduces(collective));
      end_together_ = near.first.algorithm->symmetry != nullptr;
      add_places(near, all);
      return add_place_lanes(far, 0);
  }
}

void HierarchyStages::make_lanes() {
  if (owns_parts(problem_.collective)) {
    return make_place_lanes();
  }
  const Collective collective = problem_.collective;
  const auto all = [](const GroupTree::Group&) { return std::optional(0U); };
  const auto of_root = [](const GroupTree::Group& group) { return group.root; };
  const std::uint32_t top_root = tree_.top().root.value_or(0);
  const auto parts = [&](Collective first, Collective last) {
    return named_parts("$within", problem_.within, 0, {first, last});
  };
  end_together_ = false;
  switch (collective) {
    case Collective::allreduce: {
      const auto within = parts(Collective::reduce_scatter, Collective::allgather);
      // If ranks are equivalent, none of them is done before the others.
      end_together_ = within[0].first.algorithm->symmetry != nullptr;
      add_shares(within[0], all);
      add_lanes(across(collective), 0);
      return add_shares(within[1], all);
    }
    case Collective::bcast: {
      const auto within = parts(Collective::scatter, Collective::allgather);
      add_shares(within[0], of_root);
      add_lanes(across(collective), top_root);
      return add_shares(within[1], all);
    }
    default: {
      TUTTI_INVARIANT(collective == Collective::reduce);
      const auto within = parts(Collective::reduce_scatter, Collective::gather);
      add_shares(within[0], all);
      add_lanes(across(collective), top_root);
      return add_shares(within[1], of_root);
    }
  }
}

}}  // namespace tutti::schedules
