// Which build of tutti this is, for what must not be mixed with the results of another.
#pragma once

#include <string_view>

namespace tutti {

// "0.1.0+3f2a9c01d2e4": the version, and a hash of all that results depend on in the program itself
// (cmake/TuttiBuildId.cmake). Builds of the same sources by the same compiler have the same.
[[nodiscard]] std::string_view version_and_build();

}  // namespace tutti
