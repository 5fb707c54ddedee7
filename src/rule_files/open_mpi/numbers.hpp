// Reads the numbers in Open MPI's classic rules as fscanf("%li") does: a leading 0 makes a number
// octal, other text is skipped character by character, and line ends have no meaning.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

struct OmpiNumber {
  long value = 0;
  std::size_t line = 0;
  std::size_t place = 0;  // index of the number on its line, from 0
};

// Open MPI prints no message about a file that it cannot read.
inline constexpr const char* kOmpiRejected = "Open MPI then silently ignores the whole file";

// The numbers of a text. peek() and take() return these numbers in order. The constructor adds to
// `file` findings about numbers whose value is not what a reader expects.
class OmpiNumbers {
 public:
  OmpiNumbers(std::string_view text, RuleFormat version, RuleFile& file);

  [[nodiscard]] bool at_end() const { return next_ == numbers_.size(); }
  [[nodiscard]] const OmpiNumber& peek() const { return numbers_[next_]; }
  const OmpiNumber& take() { return numbers_[next_++]; }
  // Returns all numbers. The index of the next one to take is next().
  [[nodiscard]] const std::vector<OmpiNumber>& all() const { return numbers_; }
  [[nodiscard]] std::size_t next() const { return next_; }
  // Replaces a number, as if the text had another value there.
  void replace(std::size_t index, long value) { numbers_[index].value = value; }
  // Removes the numbers from this index on.
  void drop_from(std::size_t index) { numbers_.resize(index); }
  // Returns the line of the last number, or the last line of the text if the text has no numbers.
  [[nodiscard]] std::size_t last_line() const {
    return numbers_.empty() ? last_line_ : numbers_.back().line;
  }
  // Returns how many numbers are on the line.
  [[nodiscard]] std::size_t on_line(std::size_t line) const {
    const auto found = per_line_.find(line);
    return found == per_line_.end() ? 0 : found->second;
  }
  // True if the text has a header that allows a fifth number in each rule.
  [[nodiscard]] bool has_header() const { return header_; }
  // True if the text has a header that this version of Open MPI does not know. Open MPI then
  // ignores the whole text.
  [[nodiscard]] bool unknown_header() const { return unknown_header_; }

 private:
  std::string_view without_header(std::string_view content);
  void read_word(std::string_view word, std::size_t line);
  void complain(std::string_view word, std::size_t line, const std::vector<std::string>& read_as,
                bool negative);
  bool skips_commas(std::string_view word, std::size_t line);

  RuleFile& file_;
  std::vector<OmpiNumber> numbers_;
  std::map<std::size_t, std::size_t> per_line_;
  std::size_t next_ = 0;
  std::size_t last_line_ = 0;
  bool header_ = false;
  bool unknown_header_ = false;
  bool commas_reported_ = false;
};

}}  // namespace tutti::rule_files
