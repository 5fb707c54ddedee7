// A network and hosts that are not healthy: ranks that begin late, and times that vary. All of it
// is a function of a seed, so that a run repeats to the last digit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "schedules/op.hpp"

namespace tutti::inline sim {

struct Disturbance {
  // Each operation takes f times as long as it would otherwise take on its own, f drawn evenly from
  // 1 - jitter to 1 + jitter: of a message, both its latency and what it has to transfer; of a
  // reduction or a copy, its work.
  double jitter = 0;
  // A rank takes part in nothing before it is there: so many seconds late, by rank; or drawn evenly
  // between the two.
  std::shared_ptr<const std::vector<double>> late_s;
  double late_from_s = 0;
  double late_to_s = 0;
  std::uint64_t seed = 1;
  // The run is repeated so often, with this seed and those that follow; that of the median time
  // (the lower of two) is reported.
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

// Totals of a run that was repeated.
struct Repeats {
  std::uint32_t runs = 0;  // 0: it was not
  std::uint64_t seed = 0;  // of the one that is reported
  double least_s = 0;
  double median_s = 0;
  double most_s = 0;
};

struct RunSetup;

// Calls total_s(setup) for `setup` with each of the seeds that it asks for, and leaves in `setup`
// that of the median; nothing is called where it asks for one run.
[[nodiscard]] Repeats repeat_runs(RunSetup& setup,
                                  const std::function<double(const RunSetup&)>& total_s);

}  // namespace tutti::inline sim
