#include "base/error.hpp"

#include <fmt/format.h>

#include <cstring>

namespace tutti { inline namespace base {

void fail_invariant(const char* condition, const char* file, int line) {
  const char* slash = std::strrchr(file, '/');
  throw InvariantError(fmt::format("broken invariant: {} ({}:{})", condition,
                                   slash != nullptr ? slash + 1 : file, line));
}

}}  // namespace tutti::base
