// What makes a SimGridSide. Named as in C: a program that opens it at run time looks for the name.
#pragma once

#include "sim/simgrid/simgrid_side.hpp"

namespace tutti::inline sim {

extern "C" {
[[nodiscard]] SimGridSide* make_simgrid_side(const SimGridConfig& config, ParentLink& parent);
}
inline constexpr const char* kSimGridMaker = "make_simgrid_side";

}  // namespace tutti::inline sim
