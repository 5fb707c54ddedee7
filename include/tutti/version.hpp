// The version of tutti, and the namespace of all declarations in these headers.
//
//     std::printf("tutti %s\n", tutti::version().c_str());
#pragma once

#include <string>

// The linker sees the declarations between TUTTI_BEGIN and TUTTI_END as tutti::v1::NAME. User code
// writes tutti::NAME. TUTTI_INSIDE is defined only while the library itself is compiled; there,
// tutti::NAME is an internal type, so v1 must not be an inline namespace.
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
