// Notes below a table, to which the rows refer by number: how far predictions are from a run, and
// why.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/sentence.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace output {

// Numbers notes from 1, in the order of first use.
class NumberedNotes {
 public:
  // Returns the number of the note for `sentence`. Sentences with the same pattern share a note:
  // print() prints only the first of them, and how many more there are.
  [[nodiscard]] std::size_t number_of_pattern(const Sentence& sentence);
  [[nodiscard]] std::size_t number(const std::string& text);
  void print(std::ostream& out) const;

 private:
  struct Pattern {
    std::string pattern;
    std::size_t number;
    std::size_t more;
  };

  std::vector<Pattern> patterns_;
  std::vector<std::string> texts_;
};

// Formats the difference between a predicted time and `happened`, the time of the run, as a share
// of `happened`: "equal", "-45.3 %".
[[nodiscard]] std::string signed_percent(double predicted, double happened);

// Adds notes on why the run, its longest path and its published costs differ. Returns the numbers
// of these notes, such as "[1][3]"; "" if there is no difference. `says_segments`: the returned
// text also contains the segment size.
[[nodiscard]] std::string why_columns_differ(const RunResult& result, bool says_segments,
                                             NumberedNotes& notes);

// Returns the reason why a case did not run, with the algorithm's name.
[[nodiscard]] Sentence why_not(const CaseRun& run);

}}  // namespace tutti::output
