// The lines of a text, and their numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tutti { inline namespace base {

class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  // Moves to the next line. Returns false if there is none.
  bool next() {
    if (rest_.empty()) {
      return false;
    }
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    whole_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }
  // The line, without the line end ("\n" or "\r\n").
  [[nodiscard]] std::string_view line() const {
    return whole_.substr(0, whole_.size() - (whole_.ends_with('\r') ? 1 : 0));
  }
  // The line without what follows a '#'.
  [[nodiscard]] std::string_view without_comment() const {
    return line().substr(0, line().find('#'));
  }
  // The line with the carriage return at its end, if it has one.
  [[nodiscard]] std::string_view whole() const { return whole_; }
  // The number of the line, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::string_view whole_;
  std::size_t number_ = 0;
};

}}  // namespace tutti::base
