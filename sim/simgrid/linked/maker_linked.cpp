// Programs that link SimGrid have this one.
#include "sim/simgrid/simgrid_maker.hpp"

// Asked for by name, so that a linker that meets this before what needs it takes it all the same.
extern "C" {
extern const int tutti_simgrid_is_linked;
const int tutti_simgrid_is_linked = 1;
}

namespace tutti::inline sim {

std::unique_ptr<SimGridSide> load_simgrid_side(const SimGridConfig& config, ParentLink& parent) {
  return std::unique_ptr<SimGridSide>(make_simgrid_side(config, parent));
}

}  // namespace tutti::inline sim
