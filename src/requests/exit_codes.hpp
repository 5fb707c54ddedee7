// Exit codes of all programs of tutti.
#pragma once

namespace tutti::inline requests {

inline constexpr int kExitOk = 0;
inline constexpr int kExitCheckFailed = 1;  // wrong schedule, time or data
inline constexpr int kExitBadInput = 2;
// a broken invariant, which is a bug in tutti (EX_SOFTWARE)
inline constexpr int kExitInternal = 70;

}  // namespace tutti::inline requests
