// Prints the contents of blocks round by round, and how a result was computed from the ranks'
// operands.
#pragma once

#include <iosfwd>
#include <optional>
#include <string_view>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace output {

// Prints the contents of blocks before the first round and after each round. If `rank` is empty,
// prints a table per round, with a row for each block and a column for each rank. Otherwise prints
// a single table for `rank`, with a row for each block and a column for each round. The schedule
// must have a payload, and move data.
void print_states(const Schedule& schedule, std::string_view full_name, std::optional<Rank> rank,
                  std::ostream& out);

// Prints the nested sum of one block at one rank, with a line for each partial sum. Returns false,
// and prints nothing, if nothing was written to that block. print_sum_tree() and
// write_sum_tree_dot() return false in the same case.
[[nodiscard]] bool print_sum(const Schedule& schedule, std::string_view full_name, Rank rank,
                             std::uint32_t block, std::ostream& out);
// Print the nested sum as a tree: as indented lines, or for Graphviz.
[[nodiscard]] bool print_sum_tree(const Schedule& schedule, std::string_view full_name, Rank rank,
                                  std::uint32_t block, std::ostream& out);
[[nodiscard]] bool write_sum_tree_dot(const Schedule& schedule, std::string_view full_name,
                                      Rank rank, std::uint32_t block, std::ostream& out);

}}  // namespace tutti::output
