#include "src/rule_files/han_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace tutti::inline rule_files {

namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c, int base) {
  if (base == 16) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }
  return c >= '0' && c < (base == 8 ? '8' : '9' + 1);
}

}  // namespace

void HanText::advance() {
  now_ += text_[at_] == '\n' ? 1 : 0;
  ++at_;
}

void HanText::skip_blanks() {
  while (!at_end() && is_blank(text_[at_])) {
    advance();
  }
}

void HanText::skip_line() {
  while (!at_end() && text_[at_] != '\n') {
    advance();
  }
}

void HanText::skip_one(std::string& skipped) {
  if (at_end()) {
    return;
  }
  if (text_[at_] == '#') {
    skip_line();
    return;
  }
  if (skipped.empty()) {
    line_ = now_;
  }
  skipped += text_[at_];
  advance();
}

void HanText::say_skipped(const std::string& skipped) {
  if (!skipped.empty()) {
    file_.error(line_, fmt::format("'{}' is not a number, and is skipped", skipped));
  }
}

std::optional<std::int64_t> HanText::next_long() {
  std::string skipped;
  for (;;) {
    skip_blanks();
    if (at_end()) {
      say_skipped(skipped);
      return std::nullopt;
    }
    const bool minus = text_[at_] == '-';
    if (minus || text_[at_] == '+') {
      if (at_ + 1 == text_.size() || !is_digit(text_[at_ + 1], 10)) {
        skip_one(skipped);  // the sign, which fscanf() has consumed
        skip_one(skipped);
        continue;
      }
      ++at_;
    }
    if (!is_digit(text_[at_], 10)) {
      skip_one(skipped);
      continue;
    }
    say_skipped(skipped);
    line_ = now_;
    int base = 10;
    if (text_[at_] == '0' && at_ + 1 < text_.size()) {
      const bool hex = at_ + 2 < text_.size() && (text_[at_ + 1] == 'x' || text_[at_ + 1] == 'X') &&
                       is_digit(text_[at_ + 2], 16);
      base = hex ? 16 : 8;
    }
    const std::size_t begin = at_ + (base == 16 ? 2 : 0);
    std::size_t end = begin;
    while (end < text_.size() && is_digit(text_[end], base)) {
      ++end;
    }
    std::int64_t value = 0;
    const auto [stop, error] =
        std::from_chars(text_.data() + begin, text_.data() + end, value, base);
    if (error != std::errc()) {
      value = std::numeric_limits<std::int64_t>::max();
    }
    if (base != 10 && end > at_ + 1) {
      file_.error(line_, fmt::format("'{}' is read as {}: a leading 0 makes it {}",
                                     text_.substr(at_, end - at_), value,
                                     base == 16 ? "hexadecimal" : "octal"));
    }
    at_ = end;
    return minus ? -value : value;
  }
}

std::optional<std::uint64_t> HanText::next_size() {
  std::string skipped;
  for (;;) {
    skip_blanks();
    if (at_end()) {
      say_skipped(skipped);
      return std::nullopt;
    }
    const bool minus = text_[at_] == '-';
    const std::size_t sign = minus || text_[at_] == '+' ? 1 : 0;
    if (at_ + sign == text_.size() || !is_digit(text_[at_ + sign], 10)) {
      for (std::size_t i = 0; i <= sign; ++i) {
        skip_one(skipped);
      }
      continue;
    }
    say_skipped(skipped);
    line_ = now_;
    at_ += sign;
    std::size_t end = at_;
    while (end < text_.size() && is_digit(text_[end], 10)) {
      ++end;
    }
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(text_.data() + at_, text_.data() + end, value);
    if (error != std::errc()) {
      value = std::numeric_limits<std::uint64_t>::max();
    }
    at_ = end;
    if (minus && value != 0) {
      value = 0 - value;
      file_.error(line_, fmt::format("a negative size is read as {}", value));
    }
    return value;
  }
}

std::optional<std::string> HanText::next_word() {
  constexpr std::size_t kMost = 32;
  for (;;) {
    skip_blanks();
    if (at_end()) {
      return std::nullopt;
    }
    line_ = now_;
    const std::size_t begin = at_;
    while (!at_end() && !is_blank(text_[at_]) && at_ - begin < kMost) {
      ++at_;
    }
    if (text_[begin] != '#') {
      return std::string(text_.substr(begin, at_ - begin));
    }
    skip_line();
  }
}

std::optional<bool> HanText::next_is(char expected) {
  for (;;) {
    if (at_end()) {
      return std::nullopt;
    }
    const char next = text_[at_];
    if (next == '\n' || (next != expected && (next == ' ' || next == '\t'))) {
      advance();
    } else if (next == '#') {
      skip_line();
    } else if (next == expected) {
      advance();
      return true;
    } else {
      return false;
    }
  }
}

}  // namespace tutti::inline rule_files
