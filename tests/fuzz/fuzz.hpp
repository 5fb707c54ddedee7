// Helpers of the fuzz targets: they turn the input into text, and abort if a check fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  }
}

// Calls `read`. It may refuse the input with a UserError, but the message of the error must not be
// empty, and must be shorter than 2000 bytes, so that it cannot repeat a long input.
template <typename Read>
void may_refuse(Read&& read) {
  constexpr std::size_t kLongest = 2000;
  try {
    read();
  } catch (const tutti::UserError& error) {
    const std::string_view what = error.what();
    require(!what.empty(), "the error message is empty");
    require(what.size() < kLongest, "the error message is too long: it repeats its whole input");
  }
}

}  // namespace fuzz
