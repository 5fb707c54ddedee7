// Finds wrong counts in Open MPI's classic rules. Open MPI ignores line ends, so that a wrong count
// makes it take later numbers for something else. But nearly all files have each rule on a line of
// its own, which shows how many rules, communicator sizes and collectives really follow.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "src/rule_files/open_mpi/numbers.hpp"

namespace tutti { inline namespace rule_files {

struct WrongCount {
  std::size_t index = 0;  // of the count in OmpiNumbers::all()
  long declared = 0;
  long follow = 0;
  std::string_view things;  // what is counted, in the singular: "message size"
  bool last = false;        // true if it is the last count of its kind in the file
};

struct CountCheck {
  std::vector<WrongCount> wrong;  // in the order of the file
  // The numbers before this index take part. The others begin a rule, whose end is missing.
  std::size_t end = 0;
};

// Returns the counts of the file that differ from what follows. Among the ways to read the lines,
// takes the one with the fewest wrong counts. Returns nothing if the lines do not show where rules
// are: lines with four numbers (or five, in a file with a header) are rules, and all other lines
// have one or two numbers.
[[nodiscard]] std::optional<CountCheck> wrong_counts(const OmpiNumbers& numbers);

// Returns the first line whose number of numbers is neither that of a rule nor that of a count: 3,
// or 5 in a file without a header. Returns 0 if there is none, or if no line has 4 numbers.
[[nodiscard]] std::size_t line_of_odd_rule(const OmpiNumbers& numbers);

}}  // namespace tutti::rule_files
