// Used by programs that link SimGrid.
#include "sim/simgrid/simgrid_maker.hpp"

// Referenced by name, so that the linker takes this file even if it comes before the code that
// needs it.
extern "C" {
extern const int tutti_simgrid_is_linked;
const int tutti_simgrid_is_linked = 1;
}

namespace tutti::inline sim {

std::unique_ptr<SimGridSide> load_simgrid_side(const SimGridConfig& config, ParentLink& parent) {
  return std::unique_ptr<SimGridSide>(make_simgrid_side(config, parent));
}

}  // namespace tutti::inline sim
