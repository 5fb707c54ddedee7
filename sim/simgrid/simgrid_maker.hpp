// Makes a SimGridSide. The function has C linkage, because a program that opens the library at run
// time looks the function up by name.
#pragma once

#include "sim/simgrid/simgrid_side.hpp"

namespace tutti { inline namespace sim {

extern "C" {
[[nodiscard]] SimGridSide* make_simgrid_side(const SimGridConfig& config, ParentLink& parent);
}
inline constexpr const char* kSimGridMaker = "make_simgrid_side";

}}  // namespace tutti::sim
