// Identifies this build of tutti. All workers of a sweep must be of the same build. Results that
// another build has stored in a database are checked before they are used.
#pragma once

#include <string_view>

namespace tutti::inline workers {

// "0.1.0+3f2a9c01d2e4": the version, and a hash of the sources, the compiler and SimGrid
// (cmake/TuttiBuildId.cmake). Builds of the same sources with the same compiler have the same id.
[[nodiscard]] std::string_view version_and_build();

}  // namespace tutti::inline workers
