// The hierarchical alltoall: an alltoall within each node, then one on each lane across the nodes.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/work_ticker.hpp"
#include "schedules/patterns/hierarchy_stages.hpp"

namespace tutti { inline namespace schedules {

namespace {

[[noreturn]] void refuse_unlike() {
  throw UserError(
      "groups differ: all must have the same size, and consist of consecutive ranks or of ranks "
      "that are assigned to the groups in turn");
}

}  // namespace

// Blocks are numbered by distance: rank s sends block d - s to rank d. In a call within a group
// there is a block for each distance between members. Such a block has all data for the ranks at
// the receiver's place in any group. Then, in a call on a lane, there is a block for each distance
// between groups, with all data of the sender's group for the receiver. If groups are alike, the
// blocks are the same for all senders.
void HierarchyStages::make_alltoall() {
  const std::vector<GroupTree::Group>& nodes = groups(0);
  const auto count = static_cast<std::uint32_t>(nodes.size());
  const std::uint32_t size = nodes.front().size();
  if (depth() != 1) {
    throw UserError(fmt::format("$groups '{}': an alltoall takes only one level of groups",
                                to_text(problem_.groups)));
  }
  if (!tree_.even()) {
    refuse_unlike();
  }
  const NamedStage inner = within(0, {Collective::alltoall}, 0);
  const NamedStage outer = across(Collective::alltoall);
  Stage near;
  near.within_nodes = true;
  for (std::uint32_t node = 0; (size > 1 || count == 1) && node < count; ++node) {
    const auto blocks = blocks_by_distance(size, count, [&](auto from, auto to, auto other) {
      return distance(nodes[node].members[from], nodes[other].members[to]);
    });
    near.calls.push_back({inner, groups_[0][node], size, 0, blocks, std::nullopt, Buffer::input,
                          count > 1 ? Buffer::scratch : Buffer::work});
  }
  Stage far;
  for (std::uint32_t lane = 0; count > 1 && lane < size; ++lane) {
    std::vector<Rank> members;
    for (const GroupTree::Group& node : nodes) {
      members.push_back(node.members[lane]);
    }
    const auto blocks = blocks_by_distance(count, size, [&](auto from, auto to, auto other) {
      return distance(nodes[from].members[other], nodes[to].members[lane]);
    });
    far.calls.push_back({outer, calls_->add_group(std::move(members)), count, 0, blocks,
                         std::nullopt, size > 1 ? Buffer::scratch : Buffer::input, Buffer::work});
  }
  end_together_ = inner.first.algorithm->symmetry != nullptr;
  stages_.push_back(std::move(near));
  stages_.push_back(std::move(far));
}

// Adds the blocks of a call among `members` ranks, and returns their index in GroupCalls. Each
// block has `each` pieces, which are piece_of(from, to, i).
std::uint32_t HierarchyStages::blocks_by_distance(std::uint32_t members, std::uint32_t each,
                                                  const PieceOf& piece_of) {
  std::vector<GroupCalls::Pieces> blocks(members);
  for (std::uint32_t from = 0; from < members; ++from) {
    stop_if_requested();
    for (std::uint32_t block = 0; block < members; ++block) {
      GroupCalls::Pieces pieces(each);
      for (std::uint32_t i = 0; i < each; ++i) {
        pieces[i] = piece_of(from, (from + block) % members, i);
      }
      std::sort(pieces.begin(), pieces.end());
      if (from == 0) {
        blocks[block] = std::move(pieces);
      } else if (pieces != blocks[block]) {
        refuse_unlike();
      }
    }
  }
  return calls_->add_blocks(std::move(blocks));
}

}}  // namespace tutti::schedules
