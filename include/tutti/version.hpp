// Which tutti this is, and the namespace of everything in these headers.
//
//     std::printf("tutti %s\n", tutti::version().c_str());
#pragma once

#include <string>

// What is declared between the two is tutti::v1::NAME to the linker, and tutti::NAME to you.
#ifdef TUTTI_INSIDE  // where the library itself is compiled, whose own types are tutti::NAME
#define TUTTI_BEGIN \
  namespace tutti { \
  namespace v1 {
#else
#define TUTTI_BEGIN \
  namespace tutti { \
  inline namespace v1 {
#endif
#define TUTTI_END \
  }               \
  }

TUTTI_BEGIN

// "0.1.0". What these headers declare changes only with the first two numbers.
[[nodiscard]] std::string version();

TUTTI_END
