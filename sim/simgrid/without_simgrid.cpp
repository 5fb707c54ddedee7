// Replaces SimGrid in programs that neither link SimGrid nor open it at run time. The definition
// below is weak: any other load_simgrid_side() that is linked replaces it.
#include "base/error.hpp"
#include "sim/simgrid/simgrid_side.hpp"

namespace tutti { inline namespace sim {

[[gnu::weak]] std::unique_ptr<SimGridSide> load_simgrid_side(const SimGridConfig&, ParentLink&) {
  throw UserError(
      "this platform or engine needs SimGrid, but this program is not linked with it "
      "(tutti::simgrid)");
}

}}  // namespace tutti::sim
