#pragma once

#include <string>

namespace tutti {

// The folder of the project, without a slash at its end.
std::string source_dir();

}
