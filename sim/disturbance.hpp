// Disturbances of networks and hosts: ranks that begin late, and times that vary. All random values
// are a function of a seed, so that a run can be repeated to the last digit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "schedules/op.hpp"

namespace tutti { inline namespace sim {

struct Disturbance {
  // The undisturbed time of each operation is multiplied by a random factor, drawn uniformly
  // between 1 - jitter and 1 + jitter. The factor is applied to the latency and to the amount of
  // data of a message, and to the work of a reduction or a copy.
  double jitter = 0;
  // A late rank does nothing before it arrives. `late_s` lists the delay of each rank. If it is
  // null, the delays are drawn uniformly between `late_from_s` and `late_to_s`.
  std::shared_ptr<const std::vector<double>> late_s;
  double late_from_s = 0;
  double late_to_s = 0;
  std::uint64_t seed = 1;
  // Number of runs, with the seeds `seed`, `seed` + 1, ... The run with the median time is
  // reported; if two runs are in the middle, the faster one.
  std::uint32_t repeat = 1;

  [[nodiscard]] bool late() const { return late_s != nullptr || late_to_s > 0; }
  [[nodiscard]] bool any() const { return jitter > 0 || late(); }
  friend bool operator==(const Disturbance&, const Disturbance&) = default;
  [[nodiscard]] double late_of(Rank rank) const;
  [[nodiscard]] double factor(OpId id) const {
    if (jitter == 0) [[likely]] {
      return 1;
    }
    return drawn_factor(id);
  }

 private:
  [[nodiscard]] double drawn_factor(OpId id) const;
};

// Totals of repeated runs.
struct Repeats {
  std::uint32_t runs = 0;  // 0: the run was not repeated
  std::uint64_t seed = 0;  // seed of the run that is reported
  double least_s = 0;
  double median_s = 0;
  double most_s = 0;
};

struct RunSetup;

// Calls total_s(setup) once for each seed that `setup` asks for, with this seed in `setup`, and
// leaves the seed of the median run in `setup`. Does nothing if `setup` asks for one run.
[[nodiscard]] Repeats repeat_runs(RunSetup& setup,
                                  const std::function<double(const RunSetup&)>& total_s);

}}  // namespace tutti::sim
