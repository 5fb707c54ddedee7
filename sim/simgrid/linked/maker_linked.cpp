// Provides SimGrid to programs that link SimGrid's library.
#include "sim/simgrid/simgrid_maker.hpp"

// Programs refer to this symbol, so that the linker includes this file even if it comes before the
// code that needs it.
extern "C" {
extern const int tutti_simgrid_is_linked;
const int tutti_simgrid_is_linked = 1;
}

namespace tutti { inline namespace sim {

std::unique_ptr<SimGridSide> load_simgrid_side(const SimGridConfig& config, ParentLink& parent) {
  return std::unique_ptr<SimGridSide>(make_simgrid_side(config, parent));
}

}}  // namespace tutti::sim
