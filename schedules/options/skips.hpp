// Which skips a circulant algorithm takes: a scheme for any number of ranks, or a list for one.
// What each scheme comes to: schedules/patterns/circulant_skips.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline schedules {

struct Skips {
  enum class Scheme : std::uint8_t { halving, doubling, linear, sqrt, list };
  Scheme scheme = Scheme::halving;
  std::vector<std::uint32_t> list;  // of Scheme::list alone

  friend bool operator==(const Skips&, const Skips&) = default;
};

// The names of all schemes but the list.
inline constexpr std::array<std::string_view, 4> kSkipSchemes{"halving", "doubling", "linear",
                                                              "sqrt"};

// A scheme's name, or a list such as "5,3,2,1". Throws UserError for what is neither, whatever the
// ranks.
[[nodiscard]] Skips parse_skips(std::string_view text);
[[nodiscard]] std::string to_text(const Skips& skips);

// Several of them, without repeats: parts with ';' between them, of which each is a list, `all`, or
// schemes with commas between them: "halving,doubling;11,6,3,2,1". Throws UserError.
[[nodiscard]] std::vector<Skips> parse_several_skips(std::string_view text);

}  // namespace tutti::inline schedules
