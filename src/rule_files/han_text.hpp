// A text of coll/han's rules, taken apart as ompi/mca/coll/base/coll_base_util.c does it with
// fscanf: numbers in three bases, words of at most 32 letters up to the next blank, and comments
// where a new item is looked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

class HanText {
 public:
  HanText(std::string_view text, RuleFile& file) : text_(text), file_(file) {}

  // Nothing at the end of the text. What is passed over, or read as something else than it looks
  // like, is said to the file.
  std::optional<std::int64_t> next_long();
  std::optional<std::uint64_t> next_size();
  std::optional<std::string> next_word();
  // Whether the next character that counts is this one, which is then taken; nothing at the end.
  std::optional<bool> next_is(char expected);

  // Of the item that was taken last.
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  void advance();
  void skip_blanks();
  void skip_line();
  // One character that is no number.
  void skip_one(std::string& skipped);
  void say_skipped(const std::string& skipped);

  std::string_view text_;
  RuleFile& file_;
  std::size_t at_ = 0;
  std::size_t now_ = 1;  // the line of at_
  std::size_t line_ = 1;
};

}  // namespace tutti::inline rule_files
