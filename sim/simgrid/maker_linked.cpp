// Of programs that link SimGrid.
#include "sim/simgrid/simgrid_maker.hpp"

namespace tutti {

std::unique_ptr<SimGridSide> load_simgrid_side(const SimGridConfig& config, ParentLink& parent) {
  return std::unique_ptr<SimGridSide>(make_simgrid_side(config, parent));
}

}  // namespace tutti
