// Splits the text of coll/han's rules into numbers and words, as
// ompi/mca/coll/base/coll_base_util.c does with fscanf: numbers are decimal, octal or hexadecimal,
// words end at a blank or after 32 characters, and a comment may precede any number or word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/characters.hpp"
#include "base/text_cursor.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

class HanText {
 public:
  HanText(std::string_view text, RuleFile& file) : text_(text), file_(file) {}

  // Return the next number or word, or nothing at the end of the text. Add a finding to the
  // RuleFile for skipped characters, and for numbers whose value is not the one that a reader
  // expects (octal numbers, for example).
  std::optional<std::int64_t> next_long();
  std::optional<std::uint64_t> next_size();
  std::optional<std::string> next_word();
  // If the next character, after blanks and comments, is `expected`, consumes this character and
  // returns true; otherwise returns false. Returns nothing at the end of the text.
  std::optional<bool> next_is(char expected);

  // Returns the line of the number or word that was read last.
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  void skip_blanks() { text_.take_while(is_space); }
  // Skips a character that does not begin a number, and appends it to `skipped`.
  void skip_one(std::string& skipped);
  void say_skipped(const std::string& skipped);
  // Moves to the digits of the next number, and returns true if a minus precedes them. Returns
  // nothing at the end of the text.
  std::optional<bool> next_sign();
  // Consumes digits, and returns their value, limited to the largest one of the type.
  template <typename Number>
  Number take_digits(int base);

  TextCursor text_;
  RuleFile& file_;
  std::size_t line_ = 1;
};

}}  // namespace tutti::rule_files
