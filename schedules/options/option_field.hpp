// Functions to which members of an OptionType can point. They depend only on the member of Problem
// that holds the option's value.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "schedules/options/option_type.hpp"
#include "schedules/options/word_list.hpp"

namespace tutti { inline namespace schedules {

template <auto kMember>
bool is_default(const Problem& problem) {
  const Problem standard;
  return problem.*kMember == standard.*kMember;
}

template <auto kMember>
void copy_member(const Problem& from, Problem& into) {
  into.*kMember = from.*kMember;
}

template <auto kMember>
std::string print_number(const Problem& problem) {
  return fmt::format("{}", problem.*kMember);
}

template <auto kMember>
OptionValue number_value(const Problem& problem) {
  return std::uint64_t{problem.*kMember};
}

template <auto kMember>
void set_number(const OptionValue& value, Problem& into) {
  auto& member = into.*kMember;
  const std::uint64_t number = std::get<std::uint64_t>(value);
  constexpr std::uint64_t kMost =
      std::numeric_limits<std::remove_reference_t<decltype(member)>>::max();
  if (number > kMost) {
    throw UserError(fmt::format("{}: expected a whole number up to {}", number, kMost));
  }
  member = static_cast<std::remove_reference_t<decltype(member)>>(number);
}

template <auto kMember, const auto& kNames>
std::string print_word(const Problem& problem) {
  return std::string(kNames[static_cast<std::size_t>(problem.*kMember)]);
}

template <auto kMember, const auto& kNames>
OptionValue word_value(const Problem& problem) {
  return print_word<kMember, kNames>(problem);
}

// Parses one of the names in `kNames`. Throws UserError that lists the names and suggests the
// nearest one if `text` is not among them.
template <auto kMember, const auto& kNames>
void parse_word(std::string_view what, std::string_view text, Problem& into) {
  const auto found = named<std::remove_reference_t<decltype(into.*kMember)>>(kNames, text);
  if (!found) {
    const std::vector<std::string> words(std::begin(kNames), std::end(kNames));
    throw UserError(fmt::format("{} '{}': expected {}{}", what, text, alternatives(kNames),
                                did_you_mean(text, words)));
  }
  into.*kMember = *found;
}

// Makes one trial per word; `from(i)` is the first purpose for which the i-th word is worth trying.
template <auto kMember, const auto& kNames, typename From>
std::vector<OptionTrial> word_trials(const Problem& problem, From&& from) {
  std::vector<OptionTrial> trials;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    trials.push_back({problem, from(i)});
    auto& member = trials.back().problem.*kMember;
    member = static_cast<std::remove_reference_t<decltype(member)>>(i);
  }
  return trials;
}

}}  // namespace tutti::schedules
