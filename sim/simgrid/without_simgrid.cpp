// Programs that neither link SimGrid nor know how to open it have this one: any other
// load_simgrid_side() that is linked stands before this one.
#include "base/error.hpp"
#include "sim/simgrid/simgrid_side.hpp"

namespace tutti::inline sim {

[[gnu::weak]] std::unique_ptr<SimGridSide> load_simgrid_side(const SimGridConfig&, ParentLink&) {
  throw UserError(
      "this platform or engine needs SimGrid, which this program was linked without "
      "(tutti::simgrid)");
}

}  // namespace tutti::inline sim
