#include "src/simulation/engine_comparison.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::inline simulation {

EngineComparison compare_engines(const Timeline& flow, const Timeline& simgrid,
                                 double simgrid_wall_s, double tolerance) {
  EngineComparison result;
  result.simgrid_total_s = simgrid.total_s;
  result.simgrid_wall_s = simgrid_wall_s;
  result.tolerance = tolerance;
  const double total_s = std::max(flow.total_s, simgrid.total_s);
  if (total_s == 0) {
    return result;
  }
  for (std::size_t id = 0; id < flow.start_s.size(); ++id) {
    for (const double off : {std::abs(flow.start_s[id] - simgrid.start_s[id]) / total_s,
                             std::abs(flow.end_s[id] - simgrid.end_s[id]) / total_s}) {
      if (!(off <= result.worst)) {
        result.worst = off;
        result.op = static_cast<OpId>(id);
      }
      if (std::isnan(off)) {  // NaN: the engines disagree, whatever the other differences are
        return result;
      }
    }
  }
  return result;
}

}  // namespace tutti::inline simulation
