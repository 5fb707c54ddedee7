// XXH3 with 128 bits, as hexadecimal digits: for keys, and to detect damage. It does not resist
// attacks.
#pragma once

#include <string>
#include <string_view>

namespace tutti::inline experiments {

inline constexpr std::string_view kHashName = "xxh128";

// Returns 32 hexadecimal digits.
[[nodiscard]] std::string hash_of(std::string_view text);

}  // namespace tutti::inline experiments
