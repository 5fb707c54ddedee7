// Identifies this build of tutti. All workers of a sweep must have the same build id. If another
// build of tutti wrote a result to a database, the result is checked before it is used.
#pragma once

#include <string_view>

namespace tutti { inline namespace workers {

// Returns the version and the build id, such as "0.1.0+3f2a9c01d2e4". The build id is a hash of the
// sources, the version and options of the compiler, and the version of SimGrid
// (cmake/TuttiBuildId.cmake). It does not depend on the machine or folder of the build.
[[nodiscard]] std::string_view version_and_build();

}}  // namespace tutti::workers
