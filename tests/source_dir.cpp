#include "tests/source_dir.hpp"

namespace tutti {

std::string source_dir() { return TUTTI_SOURCE_DIR; }

}  // namespace tutti
