// Reads a text from its beginning to its end, a few characters at a time, and counts its lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tutti { inline namespace base {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  // Returns the next character; NUL at the end.
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  // Index of the next character, to which back_to() returns.
  [[nodiscard]] std::size_t at() const { return at_; }
  void back_to(std::size_t at) { at_ = at; }

  // Moves over the next characters, at most `count`, and returns them.
  std::string_view take(std::size_t count) {
    const std::string_view taken = text_.substr(at_, count);
    at_ += taken.size();
    return taken;
  }
  // Moves over `expected`, and returns true, if the text goes on with it.
  bool take(std::string_view expected) {
    const bool found = rest().starts_with(expected);
    at_ += found ? expected.size() : 0;
    return found;
  }
  // Moves over characters up to the first one that `accepts` refuses, and returns them.
  template <typename Accepts>
  std::string_view take_while(const Accepts& accepts) {
    const std::size_t from = at_;
    while (at_ < text_.size() && accepts(text_[at_])) {
      ++at_;
    }
    return text_.substr(from, at_ - from);
  }
  // Moves to the end of the line, and returns what was left of the line.
  std::string_view take_line() { return take(std::min(text_.find('\n', at_), text_.size()) - at_); }

  // Returns the line of the next character, from 1. It must not be before that of the last call.
  [[nodiscard]] std::size_t line() {
    line_ += static_cast<std::size_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                   text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
    counted_ = at_;
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;  // of the character at index counted_
  std::size_t counted_ = 0;
};

}}  // namespace tutti::base
