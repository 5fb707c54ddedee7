// Notes below a table, to which its rows refer by numbers.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "base/sentence.hpp"

namespace tutti::inline output {

// Numbered from 1, in the order of first use.
class NumberedNotes {
 public:
  // Only the first sentence of each pattern is printed, with how many followed.
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
