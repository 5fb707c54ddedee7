#include "src/simulation/explain/link_loads.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "src/simulation/explain/watched_run.hpp"

namespace tutti::inline simulation {

std::vector<LoadCurve> load_curves(const Explanation& explanation) {
  std::vector<LoadCurve> curves(std::min(kMostLoadCurves, explanation.links.size()));
  if (curves.empty()) {
    return curves;
  }
  WatchList watched;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    curves[i].link = i;
    watched.links.push_back(explanation.links[i].link.statistics.link);
  }
  const EngineRun run = run_watched(explanation.run, watched, {});
  for (const LoadChange& change : run.record.loads) {
    const auto at = std::find(watched.links.begin(), watched.links.end(), change.link);
    TUTTI_INVARIANT(at != watched.links.end());
    curves[static_cast<std::size_t>(at - watched.links.begin())].values.emplace_back(change.at_s,
                                                                                     change.load);
  }
  return curves;
}

}  // namespace tutti::inline simulation
