// What blocks hold on the way to the result: which ranks' contributions, combined in which order.
//
// An operation belongs to the round in which its message is: as many messages as lie on the longest
// way of dependencies that ends with it. One execution is shown, with rounds one after the other;
// where the schedule is proved, every execution ends with the same values.
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
  // So many have been done; before the first one blocks hold what ranks start with, and what they
  // copy before any message.
  [[nodiscard]] std::uint32_t round() const { return round_; }
  void do_round();

  // What block `block` of `work` holds at `rank`: "x0 + x1", "full" for all contributions to it,
  // each once, or "" where nothing was put.
  [[nodiscard]] std::string work(Rank rank, std::uint32_t block) const;
  // What index `index` of `scratch` holds, which counts through the slots.
  [[nodiscard]] std::string scratch(Rank rank, std::uint32_t index) const;

 private:
  [[nodiscard]] std::string text(Expressions::Value value, std::uint32_t block) const;

  const Schedule& schedule_;
  Replay replay_;
  std::vector<OpId> order_;            // by round, then by id
  std::vector<std::size_t> round_at_;  // where each round begins in it, and where the last ends
  std::uint32_t rounds_ = 0;
  std::uint32_t round_ = 0;
};

// How block `block` of `work` at `rank` was combined in the end, as a tree: what hangs below a node
// was combined, in this order, into what the node's rank had.
struct CombinationNode {
  std::string name;          // "x3", "x3[5]" of another block
  std::uint32_t parent = 0;  // into the list; of the first one, which is the root, itself
  std::uint32_t depth = 0;
  Rank origin = 0;  // whose contribution it is
};
// Each node stands before those below it. Empty where nothing was put.
[[nodiscard]] std::vector<CombinationNode> combination_tree(const Schedule& schedule, Rank rank,
                                                            std::uint32_t block);

}  // namespace tutti::inline schedules
