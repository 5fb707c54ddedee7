#include "schedules/notation/scanner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schedules/notation/notation_error.hpp"

namespace tutti { inline namespace schedules {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '+' || c == '-';
}

}  // namespace

Scanner::Scanner(std::string_view text, std::string_view file)
    : file_(file), begin_(text.data()), end_(text.data() + text.size()), at_(begin_) {
  // Skips the byte order mark that some editors write.
  if (text.starts_with("\xef\xbb\xbf")) {
    at_ += 3;
  }
}

void Scanner::skip_blank_slowly(bool lines) {
  while (true) {
    switch (*at_) {
      case '\n':
        if (!lines) {
          return;
        }
        ++at_;
        break;
      case ' ':
      case '\t':
      case '\r':
        ++at_;
        break;
      case '#': {
        // A '#' begins a comment only after blank space, so not in scratch#2.
        const bool starts = at_ == begin_ || at_[-1] == ' ' || at_[-1] == '\t' || at_[-1] == '\n' ||
                            at_[-1] == '\r' || static_cast<unsigned char>(at_[-1]) == 0xbf;
        if (!starts) {
          return;
        }
        at_ = std::find(at_, end_, '\n');
        break;
      }
      default:
        return;
    }
  }
}

std::string_view Scanner::word() {
  const char* const start = at_;
  while (is_word(*at_)) {
    ++at_;
  }
  return {start, static_cast<std::size_t>(at_ - start)};
}

std::size_t Scanner::line_of(const char* place) const {
  return static_cast<std::size_t>(std::count(begin_, place, '\n')) + 1;
}

std::string Scanner::found() const {
  if (at_end()) {
    return "the end of the file";
  }
  if (*at_ == '\n' || *at_ == '\r') {
    return "the end of the line";
  }
  const auto byte = static_cast<unsigned char>(*at_);
  if (byte < 0x20 || byte >= 0x7f) {
    return fmt::format("a byte of value {}", byte);
  }
  constexpr std::ptrdiff_t kLongest = 24;
  const char* last = at_;
  while (is_word(*last)) {
    ++last;
  }
  if (last == at_) {
    ++last;
  }
  const bool cut = last - at_ > kLongest;
  return fmt::format("'{}{}'",
                     std::string_view(at_, static_cast<std::size_t>(cut ? kLongest : last - at_)),
                     cut ? "..." : "");
}

void Scanner::fail(const char* place, std::string_view what) const {
  fail_notation(file_, {begin_, static_cast<std::size_t>(end_ - begin_)},
                static_cast<std::size_t>(place - begin_), what);
}

void Scanner::fail_expected(std::string_view what, std::string_view advice) {
  // If the line ends too early, the error points to its end, not to the start of the next line.
  const char* const place = at_;
  skip_to_line_end();
  if (!at_end() && *at_ == '\n') {
    const char* const line_end = at_;
    skip_blank();
    if (!at_end()) {
      at_ = line_end;
    }
  }
  const std::string instead = found();
  fail(at_end() || *at_ == '\n' ? place : at_,
       fmt::format("expected {}, found {}{}{}", what, instead, advice.empty() ? "" : "; ", advice));
}

void Scanner::fail_number(const char* what, const char* start, std::uint64_t max) {
  if (at_ == start) {
    fail_expected(fmt::format("a number ({})", what));
  }
  if (*start == '0' && at_ > start + 1) {
    fail(start, fmt::format("{} with a leading zero; write the number without it", what));
  }
  while (is_digit(*at_)) {
    ++at_;
  }
  constexpr std::ptrdiff_t kLongest = 24;
  const bool cut = at_ - start > kLongest;
  fail(start,
       fmt::format("{} {}{}: expected at most {}", what,
                   std::string_view(start, static_cast<std::size_t>(cut ? kLongest : at_ - start)),
                   cut ? "..." : "", max));
}

}}  // namespace tutti::schedules
