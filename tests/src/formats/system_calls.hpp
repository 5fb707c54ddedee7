// What another process may do between two calls of the system: done just before the second.
#pragma once

#include <functional>

namespace tutti {

// Done once, before the next call of flock() or open() by this program's own code.
extern std::function<void()> before_flock;
extern std::function<void()> before_open;

}  // namespace tutti
