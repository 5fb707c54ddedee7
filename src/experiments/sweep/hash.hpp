// XXH3 of 128 bits, as hexadecimal digits: for keys, and to notice damage. It resists no attack.
#pragma once

#include <string>
#include <string_view>

namespace tutti::inline experiments {

inline constexpr std::string_view kHashName = "xxh128";

// 32 digits.
[[nodiscard]] std::string hash_of(std::string_view text);

}  // namespace tutti::inline experiments
