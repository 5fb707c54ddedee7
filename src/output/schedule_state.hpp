// What blocks hold, round by round, and how a result was combined: for people.
#pragma once

#include <iosfwd>
#include <optional>
#include <string_view>

#include "schedules/schedule.hpp"

namespace tutti::inline output {

// After each round: of all ranks a table each, blocks down and ranks across; of one rank one table,
// blocks down and rounds across. The schedule must have payload, and move data.
void print_states(const Schedule& schedule, std::string_view full_name, std::optional<Rank> rank,
                  std::ostream& out);

// The nested sum of one block at one rank, a line for each partial sum that was combined into it.
// False, and nothing printed, where nothing was put there; so of the next two.
[[nodiscard]] bool print_sum(const Schedule& schedule, std::string_view full_name, Rank rank,
                             std::uint32_t block, std::ostream& out);
// The nested sum as a tree: in lines, or for Graphviz.
[[nodiscard]] bool print_sum_tree(const Schedule& schedule, std::string_view full_name, Rank rank,
                                  std::uint32_t block, std::ostream& out);
[[nodiscard]] bool write_sum_tree_dot(const Schedule& schedule, std::string_view full_name,
                                      Rank rank, std::uint32_t block, std::ostream& out);

}  // namespace tutti::inline output
