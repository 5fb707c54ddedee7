#include "sim/mpi/plan/counted_runs.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tutti::mpi {

void TimedRuns::append(const TimedRuns& more) {
  times.resize(std::max(times.size(), more.times.size()));
  for (std::size_t rank = 0; rank < more.times.size(); ++rank) {
    times[rank].insert(times[rank].end(), more.times[rank].begin(), more.times[rank].end());
  }
  clean.insert(clean.end(), more.clean.begin(), more.clean.end());
  wanted += more.wanted;
}

CountedRuns counted_runs(const TimedRuns& runs) {
  constexpr std::uint32_t kEnough = 10;
  CountedRuns counted;
  counted.done = static_cast<std::uint32_t>(runs.clean.size());
  const auto clean =
      static_cast<std::uint32_t>(std::count(runs.clean.begin(), runs.clean.end(), true));
  counted.disturbed = counted.done - clean;
  counted.too_busy = clean < kEnough && 2 * clean < runs.wanted;
  if (counted.too_busy) {
    counted.times = runs.times;
    return counted;
  }
  counted.times.resize(runs.times.size());
  for (std::size_t rank = 0; rank < runs.times.size(); ++rank) {
    TUTTI_INVARIANT(runs.times[rank].size() == runs.clean.size());
    for (std::size_t i = 0; i < runs.clean.size(); ++i) {
      if (runs.clean[i]) {
        counted.times[rank].push_back(runs.times[rank][i]);
      }
    }
  }
  return counted;
}

}  // namespace tutti::mpi
