// Computes 128-bit XXH3 hashes, which serve as keys and detect damage. These hashes do not resist
// attacks.
#pragma once

#include <string>
#include <string_view>

namespace tutti { inline namespace base {

inline constexpr std::string_view kHashName = "xxh128";

// Returns the hash of `text`, as 32 hexadecimal digits.
[[nodiscard]] std::string hash_of(std::string_view text);

}}  // namespace tutti::base
