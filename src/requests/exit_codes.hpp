// What every program of tutti says by its exit code.
#pragma once

namespace tutti::inline requests {

inline constexpr int kExitOk = 0;
inline constexpr int kExitCheckFailed = 1;  // schedule wrong, simulated time off, data wrong
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitInternal = 70;  // a broken invariant: our fault (EX_SOFTWARE)

}  // namespace tutti::inline requests
