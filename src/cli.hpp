// The command line but for main(), so that tests can call it.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace tutti {

inline constexpr int kExitOk = 0;
inline constexpr int kExitCheckFailed = 1;  // schedule wrong, simulated time off, data wrong
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitInternal = 70;  // a broken invariant: our fault (EX_SOFTWARE)

// `arguments` without the program's name. Prints results to `out` and one line per complaint to
// `err`; returns the exit code. Throws nothing.
[[nodiscard]] int run(const std::vector<std::string>& arguments, std::ostream& out,
                      std::ostream& err);

}  // namespace tutti
