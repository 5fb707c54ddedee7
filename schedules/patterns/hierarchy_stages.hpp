// The stages of a hierarchy (see schedules/patterns/hierarchy.hpp), as calls of collectives within
// groups and across groups.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "schedules/block_layout.hpp"
#include "schedules/patterns/group_calls.hpp"
#include "schedules/patterns/group_tree.hpp"
#include "schedules/patterns/hierarchy_parts.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

enum class HierarchyKind : std::uint8_t { leaders, lanes };

class HierarchyStages {
 public:
  // `problem` must outlive this object. Throws UserError if the groups or the named algorithms are
  // invalid.
  HierarchyStages(const Problem& problem, HierarchyKind kind);

  [[nodiscard]] GroupCalls take_calls() { return std::move(*calls_); }
  // True if no stage begins before the previous one is over at all ranks.
  [[nodiscard]] bool end_together() const { return end_together_; }

 private:
  // A stage consists of calls that do not share ranks: one for each group of a level, or a single
  // call across groups.
  struct Stage {
    struct OneCall {
      NamedStage part;
      std::uint32_t group = 0;
      std::uint32_t ranks = 0;
      std::uint32_t root = 0;
      std::optional<std::uint32_t> blocks;  // index of the list of blocks in GroupCalls, if any
      std::optional<std::uint32_t> piece;   // if unset, the call is on one segment or on all pieces
      Buffer input = Buffer::input;
      Buffer result = Buffer::work;
    };
    std::vector<OneCall> calls;
    bool within_nodes = false;
  };
  // Returns the member that is the root of the group's call; nothing if the group makes no call.
  using RootOf = std::function<std::optional<std::uint32_t>(const GroupTree::Group&)>;

  [[nodiscard]] std::size_t depth() const { return tree_.levels().size(); }
  [[nodiscard]] const std::vector<GroupTree::Group>& groups(std::size_t level) const {
    return tree_.levels()[level];
  }
  static std::optional<std::uint32_t> leader(const GroupTree::Group& group) { return group.leader; }

  [[nodiscard]] NamedStage within(std::size_t level, const std::vector<Collective>& collectives,
                                  std::size_t which) const;
  [[nodiscard]] NamedStage across(Collective collective) const;
  // Adds a stage of calls within the groups of a level. `root_of` returns the root of each call.
  void add_within(std::size_t level, const NamedStage& part, const RootOf& root_of, bool on_blocks);
  void add_across(const NamedStage& part, std::uint32_t root, bool on_blocks);
  // Adds a stage that sends the whole vector from one rank to another.
  void add_send(Rank from, Rank to);
  void up(const std::vector<Collective>& collectives, bool on_blocks);
  void down(const std::vector<Collective>& collectives, bool on_blocks);

  // Defined in hierarchy_leaders.cpp: hierarchies in which each group has a leader.
  void make();
  void make_allreduce();
  void make_barrier();
  void make_bcast(std::uint32_t top_root);
  void make_reduce(std::uint32_t top_root);

  // Defined in hierarchy_alltoall.cpp: the alltoall.
  void make_alltoall();
  // Returns the i-th piece of the block that member `from` of a call has for member `to`.
  using PieceOf =
      std::function<std::uint32_t(std::uint32_t from, std::uint32_t to, std::uint32_t i)>;
  std::uint32_t blocks_by_distance(std::uint32_t members, std::uint32_t each,
                                   const PieceOf& piece_of);
  [[nodiscard]] std::uint32_t distance(Rank from, Rank to) const {
    return to >= from ? to - from : to + problem_.ranks - from;
  }

  // Defined in hierarchy_lanes.cpp: hierarchies in which every rank of a group has a part of the
  // vector.
  void make_lanes();
  std::uint32_t lane_blocks(const GroupTree::Group& group);
  void add_shares(const NamedStage& part, const RootOf& root_of);
  void add_lanes(const NamedStage& part, std::uint32_t root);
  void make_place_lanes();
  void add_places(const NamedStage& part, const RootOf& root_of);
  void add_place_lanes(const NamedStage& part, std::uint32_t root);

  [[nodiscard]] GroupCalls::Call call_of(const Stage::OneCall& one, std::uint32_t piece,
                                         std::uint32_t end_piece) const;
  void write();

  const Problem& problem_;
  GroupTree tree_;
  std::uint32_t lanes_ = 0;
  BlockLayout pieces_;
  std::optional<GroupCalls> calls_;
  // For each level, the indices of its groups in GroupCalls.
  std::vector<std::vector<std::uint32_t>> groups_;
  std::uint32_t top_ = 0;
  std::vector<Stage> stages_;
  bool end_together_ = true;
};

}}  // namespace tutti::schedules
