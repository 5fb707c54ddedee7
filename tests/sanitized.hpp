// Sanitizers make tests several times slower and use additional memory. With sanitizers, the
// largest sweeps over all algorithms try fewer cells.
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
