// Sanitizers take ten times as long, and memory of their own: under them sweeps over all algorithms
// try a part of what they try elsewhere, since how memory is used hardly depends on the figures.
#pragma once

namespace tutti {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__clang__)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace tutti
