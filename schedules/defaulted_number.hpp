// Numeric options for which an algorithm has its own default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

struct DefaultedNumber {
  Option option;
  // The member that holds the option's value; 0 means that the user gave none.
  std::uint32_t Problem::*member;
  // The default is by_problem(problem), or `fixed` if `by_problem` is null. `by_ranks` is true if
  // the default depends on the number of ranks.
  std::uint32_t fixed = 0;
  std::uint32_t (*by_problem)(const Problem&) = nullptr;
  std::string_view by_problem_in_words = {};
  bool by_ranks = false;

  [[nodiscard]] constexpr std::uint32_t own(const Problem& problem) const {
    return by_problem != nullptr ? by_problem(problem) : fixed;
  }
  // The user's number, or else the algorithm's default.
  [[nodiscard]] constexpr std::uint32_t of(const Problem& problem) const {
    return problem.*member != 0 ? problem.*member : own(problem);
  }
  // True if the user's number equals the default for every number of ranks.
  [[nodiscard]] constexpr bool is_redundant(const Problem& problem) const {
    return problem.*member != 0 && !by_ranks && problem.*member == own(problem);
  }
};

// Returns the default in words: a number such as "4", or `by_problem_in_words`.
[[nodiscard]] std::string own_in_words(const DefaultedNumber& number);

inline constexpr DefaultedNumber kRadix2{Option::radix, &Problem::radix, 2};
inline constexpr DefaultedNumber kRadix4{Option::radix, &Problem::radix, 4};
inline constexpr DefaultedNumber kRadix8{Option::radix, &Problem::radix, 8};
inline constexpr DefaultedNumber kOneChannel{Option::channels, &Problem::channels, 1};
inline constexpr DefaultedNumber kTwoChannels{Option::channels, &Problem::channels, 2};

}}  // namespace tutti::schedules
