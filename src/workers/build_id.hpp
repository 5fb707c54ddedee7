// Which build of tutti this is: workers of a sweep have to be of one, and what a database holds
// from another is looked at before it is believed.
#pragma once

#include <string_view>

namespace tutti::inline workers {

// "0.1.0+3f2a9c01d2e4": the version, and a hash of its sources, of the compiler and of SimGrid
// (cmake/TuttiBuildId.cmake). Builds of the same sources by the same compiler have the same.
[[nodiscard]] std::string_view version_and_build();

}  // namespace tutti::inline workers
