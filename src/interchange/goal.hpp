// GOAL, the text form that LogGOPSim, ATLAHS and htsim read: the sends, receives and calculations
// of each rank, and the dependencies between those of one rank.
//
// Source: the scanner txt2bin.re of LogGOPSim (github.com/spcl/LogGOPSim), whose rules the reader
// follows: "num_ranks" comes first; the blocks of the ranks are in order; a label is defined before
// it is used, and its first definition counts; comments stand only where a statement could begin.
#pragma once

#include <iosfwd>
#include <string_view>

#include "src/interchange/rank_nodes.hpp"

namespace tutti { inline namespace interchange {

// True if `text` can be GOAL: it begins with "num_ranks", after blanks and comments.
[[nodiscard]] bool is_goal(std::string_view text);

struct GoalFile {
  RankNodes nodes;
  std::vector<std::uint32_t> lines;  // of each node
};

// Reads the nodes of all ranks. `file` is the name for error messages. "a irequires b" (a starts
// after b has started) means that a waits for what b waits for. Throws UserError, which names the
// line: for a fault that LogGOPSim's scanner rejects or ignores, for a receive from any rank or
// with any tag, and for another processor or network interface than 0, since a rank of tutti has
// one.
[[nodiscard]] GoalFile parse_goal(std::string_view text, std::string_view file);
// Parses a file, and makes an application from its nodes.
[[nodiscard]] Application read_goal(std::string_view text, std::string_view file);

// Writes GOAL. Only operations that others depend on, and that depend on others, have labels.
void write_goal(const RankNodes& nodes, std::ostream& out);

}}  // namespace tutti::interchange
