// Exit codes of all programs of tutti.
#pragma once

namespace tutti::inline requests {

inline constexpr int kExitOk = 0;
inline constexpr int kExitCheckFailed = 1;  // a check found an error in a schedule, time or data
inline constexpr int kExitBadInput = 2;
// A broken invariant, which is a bug in tutti. Same number as EX_SOFTWARE of sysexits.h.
inline constexpr int kExitInternal = 70;

}  // namespace tutti::inline requests
