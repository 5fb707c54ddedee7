#include "src/rule_files/open_mpi/han_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/characters.hpp"
#include "base/text_words.hpp"

namespace tutti { inline namespace rule_files {

void HanText::skip_one(std::string& skipped) {
  if (text_.peek() == '#') {
    text_.take_line();
    return;
  }
  if (skipped.empty()) {
    line_ = text_.line();
  }
  skipped += text_.take(1);
}

void HanText::say_skipped(const std::string& skipped) {
  if (!skipped.empty()) {
    file_.error(line_, fmt::format("'{}' is not a number, and is skipped", skipped));
  }
}

template <typename Number>
Number HanText::take_digits(int base) {
  const std::string_view digits = text_.take_while([base](char c) { return is_digit(c, base); });
  Number value = 0;
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return error == std::errc() ? value : std::numeric_limits<Number>::max();
}

std::optional<bool> HanText::next_sign() {
  std::string skipped;
  for (;;) {
    skip_blanks();
    if (text_.at_end()) {
      say_skipped(skipped);
      return std::nullopt;
    }
    const std::string_view rest = text_.rest();
    const bool minus = rest.front() == '-';
    const std::size_t sign = minus || rest.front() == '+' ? 1 : 0;
    if (sign < rest.size() && is_digit(rest[sign])) {
      say_skipped(skipped);
      line_ = text_.line();
      text_.take(sign);
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
  const std::string_view rest = text_.rest();
  int base = 10;
  if (rest.front() == '0' && rest.size() > 1) {
    const bool hex = rest.size() > 2 && (rest[1] == 'x' || rest[1] == 'X') && is_digit(rest[2], 16);
    base = hex ? 16 : 8;
  }
  const std::size_t first = text_.at();
  text_.take(base == 16 ? 2 : 0);
  const auto value = take_digits<std::int64_t>(base);
  const std::string_view taken = rest.substr(0, text_.at() - first);
  if (base != 10 && taken.size() > 1) {
    file_.error(line_, fmt::format("'{}' is read as {}: a leading 0 makes it {}", taken, value,
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
    if (text_.at_end()) {
      return std::nullopt;
    }
    line_ = text_.line();
    if (text_.peek() != '#') {
      const std::string_view rest = text_.rest().substr(0, kMost);
      return std::string(text_.take(std::min(rest.find_first_of(kWhiteSpace), rest.size())));
    }
    text_.take_line();
  }
}

std::optional<bool> HanText::next_is(char expected) {
  for (;;) {
    if (text_.at_end()) {
      return std::nullopt;
    }
    const char next = text_.peek();
    if (next == '\n' || (next != expected && is_blank(next))) {
      text_.take(1);
    } else if (next == '#') {
      text_.take_line();
    } else {
      return text_.take(std::string_view(&expected, 1));
    }
  }
}

}}  // namespace tutti::rule_files
