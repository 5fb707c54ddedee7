// Notes below a table, to which the rows refer by number.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "base/sentence.hpp"

namespace tutti::inline output {

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

}  // namespace tutti::inline output
