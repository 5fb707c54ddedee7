// The contents of blocks after each round: which ranks' contributions they hold, combined in which
// order.
//
// The round of an operation is the largest number of messages on any path of dependencies that ends
// with the operation. One execution is shown, round by round. If the schedule is proved, every
// execution ends with the same values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/schedule.hpp"
#include "schedules/verify/replay.hpp"

namespace tutti { inline namespace schedules {

// Executes a schedule round by round. The schedule must have payload, and its collective must move
// data.
class BlockStates {
 public:
  explicit BlockStates(const Schedule& schedule);

  [[nodiscard]] std::uint32_t rounds() const { return rounds_; }
  // Number of rounds that have been done. Before the first round, blocks hold what ranks start with
  // and what they copy before any message.
  [[nodiscard]] std::uint32_t round() const { return round_; }
  void do_round();

  // Content of block `block` of `work` at `rank`: "x0 + x1", "full" if the block has every rank's
  // contribution once, or "" if nothing was written to it.
  [[nodiscard]] std::string work(Rank rank, std::uint32_t block) const;
  // Content of `scratch` at `index`, which is slot * blocks + block.
  [[nodiscard]] std::string scratch(Rank rank, std::uint32_t index) const;

 private:
  [[nodiscard]] std::string text(Expressions::Value value, std::uint32_t block) const;

  const Schedule& schedule_;
  Replay replay_;
  // All operations, sorted by round, then by id.
  std::vector<OpId> order_;
  // Position in order_ at which each round starts, and the end of the last round.
  std::vector<std::size_t> round_at_;
  std::uint32_t rounds_ = 0;
  std::uint32_t round_ = 0;
};

// A node of a tree that shows how a block of `work` was combined. A node is the contribution of one
// rank; its children were combined into it, in the order of the list.
struct CombinationNode {
  // "x3" for the contribution of rank 3; "x3[5]" if it belongs to another block, number 5.
  std::string name;
  // Position of the parent in the list. The root is the first node, and its own parent.
  std::uint32_t parent = 0;
  std::uint32_t depth = 0;
  // The rank whose contribution the node is.
  Rank origin = 0;
};
// Returns the tree of the final content of block `block` of `work` at `rank`, each node before its
// children. The list is empty if nothing was written to the block.
[[nodiscard]] std::vector<CombinationNode> combination_tree(const Schedule& schedule, Rank rank,
                                                            std::uint32_t block);

}}  // namespace tutti::schedules
