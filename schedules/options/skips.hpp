// The skips of a circulant algorithm: a scheme for any number of ranks, or a list for one number of
// ranks. schedules/patterns/circulant_skips.hpp computes the skips of each scheme.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace schedules {

struct Skips {
  enum class Scheme : std::uint8_t { halving, doubling, linear, sqrt, list };
  Scheme scheme = Scheme::halving;
  std::vector<std::uint32_t> list;  // only for Scheme::list

  friend bool operator==(const Skips&, const Skips&) = default;
};

// The names of all schemes but the list.
inline constexpr std::array<std::string_view, 4> kSkipSchemes{"halving", "doubling", "linear",
                                                              "sqrt"};

// Parses a scheme's name, or a list such as "5,3,2,1". Throws UserError for anything else. Does not
// check a list against the number of ranks.
[[nodiscard]] Skips parse_skips(std::string_view text);
[[nodiscard]] std::string to_text(const Skips& skips);

// Parses several schemes and lists, and drops repeated ones. The text has parts separated by ';'.
// Each part is a list, `all` (every scheme), or schemes separated by commas:
// "halving,doubling;11,6,3,2,1". Throws UserError for anything else.
[[nodiscard]] std::vector<Skips> parse_several_skips(std::string_view text);

}}  // namespace tutti::schedules
