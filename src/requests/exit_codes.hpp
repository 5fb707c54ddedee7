// Exit codes of all tutti programs.
#pragma once

namespace tutti { inline namespace requests {

inline constexpr int kExitOk = 0;
// A check found a wrong schedule, time or result.
inline constexpr int kExitCheckFailed = 1;
inline constexpr int kExitBadInput = 2;
// An invariant does not hold, which is a bug in tutti. The number is that of EX_SOFTWARE in
// sysexits.h.
inline constexpr int kExitInternal = 70;

}}  // namespace tutti::requests
