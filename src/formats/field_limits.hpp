// The limits of a field of a document, besides its type.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tutti { inline namespace formats {

// Returns the words from which the value of a field comes.
using WordList = std::span<const std::string_view> (*)();

// Limits of a field besides its type. Limits of numbers and words apply to the items of a
// list.
struct FieldLimits {
  std::optional<double> least = std::nullopt;
  std::optional<double> above = std::nullopt;
  std::optional<double> most = std::nullopt;
  bool any_sign = false;
  bool or_zero = false;  // 0 is accepted besides the numbers within the limits
  bool not_empty = false;
  bool absent = false;            // the field is left out instead of null
  bool absent_if_empty = false;   // the same for an empty text
  bool later = false;             // documents of earlier versions lack the field
  bool nullable = false;          // the value can be null although its type does not show it
  bool one_without_list = false;  // a list of one item is this item, and an empty list null
  bool required = false;          // the field is not absent, although its caller adds it
  std::optional<bool> only = std::nullopt;  // the value of a field that has a single one
  std::optional<std::size_t> fewest_items = std::nullopt;
  std::optional<std::size_t> most_items = std::nullopt;
  std::string_view pattern = {};
  std::optional<std::size_t> longest = std::nullopt;  // number of characters of a text
  const std::string_view* words = nullptr;
  std::size_t word_count = 0;
  WordList word_list = nullptr;
  // 0: always present. Otherwise the fields of one form of the object have the same number: the
  // object has the fields of exactly one form.
  int form = 0;

  friend constexpr FieldLimits operator|(FieldLimits a, const FieldLimits& b) {
    a.least = b.least ? b.least : a.least;
    a.above = b.above ? b.above : a.above;
    a.most = b.most ? b.most : a.most;
    a.any_sign |= b.any_sign;
    a.or_zero |= b.or_zero;
    a.not_empty |= b.not_empty;
    a.absent |= b.absent;
    a.absent_if_empty |= b.absent_if_empty;
    a.later |= b.later;
    a.nullable |= b.nullable;
    a.one_without_list |= b.one_without_list;
    a.required |= b.required;
    a.only = b.only ? b.only : a.only;
    a.fewest_items = b.fewest_items ? b.fewest_items : a.fewest_items;
    a.most_items = b.most_items ? b.most_items : a.most_items;
    a.pattern = b.pattern.empty() ? a.pattern : b.pattern;
    a.longest = b.longest ? b.longest : a.longest;
    a.words = b.words == nullptr ? a.words : b.words;
    a.word_count = b.words == nullptr ? a.word_count : b.word_count;
    a.word_list = b.word_list == nullptr ? a.word_list : b.word_list;
    a.form = b.form == 0 ? a.form : b.form;
    return a;
  }
};

// The names are in lower case, so that a list of fields reads as text.
// NOLINTBEGIN(readability-identifier-naming)
constexpr FieldLimits at_least(double least) { return {.least = least}; }
constexpr FieldLimits above(double limit) { return {.above = limit}; }
constexpr FieldLimits at_most(double most) { return {.most = most}; }
constexpr FieldLimits between(double least, double most) { return {.least = least, .most = most}; }
inline constexpr FieldLimits any_sign{.any_sign = true};
inline constexpr FieldLimits or_zero{.or_zero = true};
// Doubles hold all integers up to this one exactly.
inline constexpr double kMostExactInteger = 9007199254740991;
inline constexpr double kMostU32 = 4294967295;
inline constexpr FieldLimits not_empty{.not_empty = true};
// The field is left out if there is no value.
inline constexpr FieldLimits absent{.absent = true};
inline constexpr FieldLimits absent_if_empty{.absent = true, .absent_if_empty = true};
// Documents of earlier versions of tutti lack the field.
inline constexpr FieldLimits added_later{.later = true};
inline constexpr FieldLimits nullable{.nullable = true};
inline constexpr FieldLimits one_without_list{.one_without_list = true};
inline constexpr FieldLimits required{.required = true};
inline constexpr FieldLimits only_true{.only = true};
inline constexpr FieldLimits only_false{.only = false};
// NOLINTEND(readability-identifier-naming)
constexpr FieldLimits like(std::string_view pattern) { return {.pattern = pattern}; }
// Readers match only texts of limited length with a pattern.
constexpr FieldLimits like(std::string_view pattern, std::size_t longest) {
  return {.pattern = pattern, .longest = longest};
}
constexpr FieldLimits items_from(std::size_t fewest) { return {.fewest_items = fewest}; }
constexpr FieldLimits items(std::size_t count) {
  return {.fewest_items = count, .most_items = count};
}
constexpr FieldLimits items_up_to(std::size_t most) { return {.most_items = most}; }
constexpr FieldLimits in_form(int number) { return {.absent = true, .form = number}; }
// The words must be a constant that lives as long as the program.
template <typename Words>
constexpr FieldLimits one_of(const Words& words) {
  return {.words = std::data(words), .word_count = std::size(words)};
}
constexpr FieldLimits one_of(WordList words) { return {.word_list = words}; }

// Returns name(value) of each of the values.
template <const auto& kValues>
[[nodiscard]] std::span<const std::string_view> words_of() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const auto value : kValues) {
      all.push_back(name(value));
    }
    return all;
  }();
  return names;
}

}}  // namespace tutti::formats
