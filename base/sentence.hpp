// A sentence for users, with the pattern from which it was made. Sentences that differ only in
// their values have the same pattern, so that a report can merge them.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

namespace tutti { inline namespace base {

struct Sentence {
  std::string text;     // "5 elements on 8 ranks"
  std::string pattern;  // "{} on {} ranks"

  // A sentence without values. Its pattern equals its text.
  Sentence(std::string whole) : text(whole), pattern(std::move(whole)) {}
  Sentence(const char* whole) : Sentence(std::string(whole)) {}
  Sentence(std::string with_values, std::string without)
      : text(std::move(with_values)), pattern(std::move(without)) {}

  // Prepends `begin` to both the sentence and its pattern.
  [[nodiscard]] Sentence after(std::string_view begin) const {
    return {std::string(begin) + text, std::string(begin) + pattern};
  }
};

// Like fmt::format(), but keeps the pattern.
template <typename... Values>
[[nodiscard]] Sentence sentence(fmt::format_string<Values...> pattern, Values&&... values) {
  const fmt::string_view text = pattern;
  return {fmt::format(pattern, std::forward<Values>(values)...), {text.data(), text.size()}};
}

}}  // namespace tutti::base
