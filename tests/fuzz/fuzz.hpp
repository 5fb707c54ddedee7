// Shared by the fuzz targets: the input as a text, and failures that end the run.
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

// Calls `read`, which may refuse its input with a UserError that does not repeat all of it.
template <typename Read>
void may_refuse(Read&& read) {
  constexpr std::size_t kLongest = 2000;
  try {
    read();
  } catch (const tutti::UserError& error) {
    const std::string_view what = error.what();
    require(!what.empty(), "an empty error message");
    require(what.size() < kLongest, "an error message that repeats its whole input");
  }
}

}  // namespace fuzz
