// kSanitized is true if the tests are compiled with the address sanitizer, which makes them several
// times slower. The largest tests over all algorithms then try fewer problems.
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
