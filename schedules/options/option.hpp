// Options that only some algorithms accept. Each option is one bit of Algorithm::options.
#pragma once

#include <cstddef>

namespace tutti { inline namespace schedules {

namespace option_numbers {
enum Number : unsigned {
#define TUTTI_OPTION(option) option,
#include "schedules/options/options.def"
#undef TUTTI_OPTION
  count
};
}  // namespace option_numbers

enum class Option : unsigned {
#define TUTTI_OPTION(option) option = 1U << option_numbers::option,
#include "schedules/options/options.def"
#undef TUTTI_OPTION
};

inline constexpr std::size_t kOptions = option_numbers::count;

[[nodiscard]] constexpr unsigned bit(Option option) { return static_cast<unsigned>(option); }

}}  // namespace tutti::schedules
