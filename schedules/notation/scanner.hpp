// Scans the text of a file in the notation, symbol by symbol.
//
// The text must be followed by a NUL character (as in a std::string), so that comparing a character
// does not need a check for the end of the text. Functions that run for every statement are inline;
// those that report errors are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tutti { inline namespace schedules {

class Scanner {
 public:
  // text.data()[text.size()] must be a NUL. Both arguments must outlive the scanner.
  Scanner(std::string_view text, std::string_view file);

  [[nodiscard]] const char* at() const { return at_; }
  void go_back_to(const char* place) { at_ = place; }
  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }

  // Skips blank space, line ends and comments.
  void skip_blank() {
    if (is_blank_or_hash(*at_)) {
      skip_blank_slowly(true);
    }
  }
  // Skips blank space and comments up to the end of the line. Returns true if nothing else was left
  // in the line.
  bool skip_to_line_end() {
    skip_blank_slowly(false);
    return at_end() || *at_ == '\n';
  }

  // Consumes the next symbol and returns true if it is `symbol`. Returns false otherwise.
  [[nodiscard]] bool take(char symbol) {
    if (*at_ != symbol) {
      skip_blank();
      if (*at_ != symbol) {
        return false;
      }
    }
    ++at_;
    return true;
  }
  template <std::size_t kSize>
  [[nodiscard]] bool take(const char (&symbol)[kSize]) {
    skip_blank();
    for (std::size_t i = 0; i + 1 < kSize; ++i) {
      if (at_[i] != symbol[i]) {  // stops at the end of the text: no symbol has a NUL
        return false;
      }
    }
    at_ += kSize - 1;
    return true;
  }
  // Consumes `symbol`, or fails. `what` describes the symbol in the error: "',' before the
  // destination".
  void expect(char symbol, const char* what) {
    if (!take(symbol)) [[unlikely]] {
      fail_expected(what);
    }
  }
  // Reads a number of at most `max`, or fails. `what` describes the number in the error: "level".
  std::uint64_t number(const char* what, std::uint64_t max) {
    skip_blank();
    const char* const start = at_;
    std::uint64_t value = 0;
    // Any 19 digits fit into 64 bits.
    for (int digits = 0; is_digit(*at_) && digits < 19; ++digits) {
      value = value * 10 + static_cast<std::uint64_t>(*at_ - '0');
      ++at_;
    }
    if (at_ == start || is_digit(*at_) || value > max || (*start == '0' && at_ > start + 1))
        [[unlikely]] {
      fail_number(what, start, max);
    }
    return value;
  }
  std::uint32_t number32(const char* what, std::uint32_t max) {
    return static_cast<std::uint32_t>(number(what, max));
  }
  // Reads letters, digits and any of _.+-; returns "" if there are none.
  std::string_view word();

  // Line number of a place, for an error message that mentions a second place.
  [[nodiscard]] std::size_t line_of(const char* place) const;

  [[noreturn]] void fail(const char* place, std::string_view what) const;
  // Fails with "expected WHAT, found ...; ADVICE" at the current place.
  [[noreturn]] void fail_expected(std::string_view what, std::string_view advice = {});

 private:
  static bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
  static bool is_blank_or_hash(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '#';
  }
  void skip_blank_slowly(bool lines);
  [[noreturn]] void fail_number(const char* what, const char* start, std::uint64_t max);
  [[nodiscard]] std::string found() const;

  std::string_view file_;
  const char* begin_;
  const char* end_;
  const char* at_;
};

}}  // namespace tutti::schedules
