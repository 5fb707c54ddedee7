// The stages of a hierarchy (schedules/patterns/hierarchy.hpp), as calls among groups.
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

namespace tutti::inline schedules {

enum class HierarchyKind : std::uint8_t { leaders, lanes };

class HierarchyStages {
 public:
  // `problem` must outlive this. Throws UserError for groups and parts that cannot be.
  HierarchyStages(const Problem& problem, HierarchyKind kind);

  [[nodiscard]] GroupCalls take_calls() { return std::move(*calls_); }
  // Whether no stage begins before the one before is over at all ranks.
  [[nodiscard]] bool end_together() const { return end_together_; }

 private:
  // Calls that any rank makes one of at a time: of each group of a level, or across.
  struct Stage {
    struct OneCall {
      NamedStage part;
      std::uint32_t group = 0;
      std::uint32_t ranks = 0;
      std::uint32_t root = 0;
      std::optional<std::uint32_t> blocks;  // of GroupCalls
      std::optional<std::uint32_t> piece;   // alone; else the segment, or all
      Buffer input = Buffer::input;
      Buffer result = Buffer::work;
    };
    std::vector<OneCall> calls;
    bool within_nodes = false;
  };
  // Which member of a group is the root of its call; nothing: it makes none.
  using RootOf = std::function<std::optional<std::uint32_t>(const GroupTree::Group&)>;

  [[nodiscard]] std::size_t depth() const { return tree_.levels().size(); }
  [[nodiscard]] const std::vector<GroupTree::Group>& groups(std::size_t level) const {
    return tree_.levels()[level];
  }
  static std::optional<std::uint32_t> leader(const GroupTree::Group& group) { return group.leader; }

  [[nodiscard]] NamedStage within(std::size_t level, const std::vector<Collective>& collectives,
                                  std::size_t which) const;
  [[nodiscard]] NamedStage across(Collective collective) const;
  // A stage of calls within the groups of a level, from or to the members that `root_of` says.
  void add_within(std::size_t level, const NamedStage& part, const RootOf& root_of, bool on_blocks);
  void add_across(const NamedStage& part, std::uint32_t root, bool on_blocks);
  // The whole vector from one rank to another.
  void add_send(Rank from, Rank to);
  void up(const std::vector<Collective>& collectives, bool on_blocks);
  void down(const std::vector<Collective>& collectives, bool on_blocks);

  // Hierarchies in which one rank of each group stands for it: hierarchy_leaders.cpp.
  void make();
  void make_allreduce();
  void make_barrier();
  void make_bcast(std::uint32_t top_root);
  void make_reduce(std::uint32_t top_root);

  // hierarchy_alltoall.cpp.
  void make_alltoall();
  // What `from` and `to`, members of a call, have for each other as piece `i` of their block.
  using PieceOf =
      std::function<std::uint32_t(std::uint32_t from, std::uint32_t to, std::uint32_t i)>;
  std::uint32_t blocks_by_distance(std::uint32_t members, std::uint32_t each,
                                   const PieceOf& piece_of);
  [[nodiscard]] std::uint32_t distance(Rank from, Rank to) const {
    return to >= from ? to - from : to + problem_.ranks - from;
  }

  // Those in which all ranks of a group have a part: hierarchy_lanes.cpp.
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
  std::vector<std::vector<std::uint32_t>> groups_;  // of GroupCalls, by level
  std::uint32_t top_ = 0;
  std::vector<Stage> stages_;
  bool end_together_ = true;
};

}  // namespace tutti::inline schedules
