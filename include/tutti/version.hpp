// The version of tutti, and the namespace of all declarations in these headers.
//
//     std::printf("tutti %s\n", tutti::version().c_str());
#pragma once

#include <string>

// Declarations between TUTTI_BEGIN and TUTTI_END are named tutti::v1::NAME for the linker, and
// tutti::NAME in user code.
// TUTTI_INSIDE is defined while the library itself is compiled, where tutti::NAME is an internal
// type.
#ifdef TUTTI_INSIDE
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

// Returns the version, such as "0.1.0". The declarations in these headers change only if one of the
// first two numbers changes.
[[nodiscard]] std::string version();

TUTTI_END
