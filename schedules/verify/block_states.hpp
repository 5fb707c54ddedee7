// The contents of blocks on the way to the result: which ranks' contributions, combined in which
// order.
//
// The round of an operation is the number of messages on the longest path of dependencies that ends
// with the operation. One execution is shown, round by round. If the schedule is proved, every
// execution ends with the same values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/schedule.hpp"
#include "schedules/verify/replay.hpp"

namespace tutti::inline schedules {

// The schedule must have payload, and its collective must move data.
class BlockStates {
 public:
  explicit BlockStates(const Schedule& schedule);

  [[nodiscard]] std::uint32_t rounds() const { return rounds_; }
  // Number of rounds that have been done. Before the first one, blocks hold what ranks start with
  // and what they copy before any message.
  [[nodiscard]] std::uint32_t round() const { return round_; }
  void do_round();

  // Content of block `block` of `work` at `rank`: "x0 + x1", "full" if every rank's contribution is
  // in it once, or "" if nothing was written.
  [[nodiscard]] std::string work(Rank rank, std::uint32_t block) const;
  // Content of `scratch` at `index`, which is slot * blocks + block.
  [[nodiscard]] std::string scratch(Rank rank, std::uint32_t index) const;

 private:
  [[nodiscard]] std::string text(Expressions::Value value, std::uint32_t block) const;

  const Schedule& schedule_;
  Replay replay_;
  std::vector<OpId> order_;            // by round, then by id
  std::vector<std::size_t> round_at_;  // start of each round in order_, and the end of the last
  std::uint32_t rounds_ = 0;
  std::uint32_t round_ = 0;
};

// A node of a tree that shows how a block of `work` was combined: the children of a node were
// combined, in this order, into the contribution of the node's rank.
struct CombinationNode {
  std::string name;          // "x3"; "x3[5]" if it is of another block
  std::uint32_t parent = 0;  // position in the list; the root is first and its own parent
  std::uint32_t depth = 0;
  Rank origin = 0;  // rank that contributed it
};
// Returns the tree of block `block` of `work` at `rank` at the end, each node before its children.
// Empty if nothing was written to the block.
[[nodiscard]] std::vector<CombinationNode> combination_tree(const Schedule& schedule, Rank rank,
                                                            std::uint32_t block);

}  // namespace tutti::inline schedules
