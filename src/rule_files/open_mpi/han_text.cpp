#include "src/rule_files/open_mpi/han_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "src/rule_files/open_mpi/scanf_characters.hpp"

namespace tutti { inline namespace rule_files {

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

template <typename Number>
Number HanText::take_digits(int base) {
  const std::size_t begin = at_;
  while (!at_end() && is_digit(text_[at_], base)) {
    ++at_;
  }
  Number value = 0;
  const auto [stop, error] = std::from_chars(text_.data() + begin, text_.data() + at_, value, base);
  return error == std::errc() ? value : std::numeric_limits<Number>::max();
}

std::optional<bool> HanText::next_sign() {
  std::string skipped;
  for (;;) {
    skip_blanks();
    if (at_end()) {
      say_skipped(skipped);
      return std::nullopt;
    }
    const bool minus = text_[at_] == '-';
    const std::size_t sign = minus || text_[at_] == '+' ? 1 : 0;
    if (at_ + sign < text_.size() && is_digit(text_[at_ + sign], 10)) {
      say_skipped(skipped);
      line_ = now_;
      at_ += sign;
      return minus;
    }
    for (std::size_t i = 0; i <= sign; ++i) {
      skip_one(skipped);  // fscanf() has consumed the sign
    }
  }
}

std::optional<std::int64_t> HanText::next_long() {
  const auto minus = next_sign();
  if (!minus) {
    return std::nullopt;
  }
  int base = 10;
  if (text_[at_] == '0' && at_ + 1 < text_.size()) {
    const bool hex = at_ + 2 < text_.size() && (text_[at_ + 1] == 'x' || text_[at_ + 1] == 'X') &&
                     is_digit(text_[at_ + 2], 16);
    base = hex ? 16 : 8;
  }
  const std::size_t first = at_;
  at_ += base == 16 ? 2 : 0;
  const auto value = take_digits<std::int64_t>(base);
  if (base != 10 && at_ > first + 1) {
    file_.error(line_, fmt::format("'{}' is read as {}: a leading 0 makes it {}",
                                   text_.substr(first, at_ - first), value,
                                   base == 16 ? "hexadecimal" : "octal"));
  }
  return *minus ? -value : value;
}

std::optional<std::uint64_t> HanText::next_size() {
  const auto minus = next_sign();
  if (!minus) {
    return std::nullopt;
  }
  auto value = take_digits<std::uint64_t>(10);
  if (*minus && value != 0) {
    value = 0 - value;
    file_.error(line_, fmt::format("a negative size is read as {}", value));
  }
  return value;
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

}}  // namespace tutti::rule_files
