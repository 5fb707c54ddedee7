#pragma once

#include <string>

namespace tutti {

// Returns the path of the project's source folder, without a slash at its end.
std::string source_dir();

}  // namespace tutti
