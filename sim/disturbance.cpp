#include "sim/disturbance.hpp"

#include <algorithm>
#include <utility>

#include "sim/engine.hpp"
#include "sim/random_part.hpp"

namespace tutti { inline namespace sim {

namespace {

// Each kind of random number has its own stream. Neighbouring seeds have independent streams.
constexpr std::uint64_t kOfOps = 0x6f7073;
constexpr std::uint64_t kOfRanks = 0x72616e6b73;

double drawn(std::uint64_t kind, std::uint64_t seed, std::uint64_t of) {
  return random_part(mixed_bits(kind) + mixed_bits(seed), of);
}

}  // namespace

double Disturbance::late_of(Rank rank) const {
  if (late_s != nullptr) {
    return (*late_s)[rank];
  }
  return late_to_s > 0 ? late_from_s + (late_to_s - late_from_s) * drawn(kOfRanks, seed, rank) : 0;
}

double Disturbance::drawn_factor(OpId id) const {
  return 1 + jitter * (2 * drawn(kOfOps, seed, id) - 1);
}

Repeats repeat_runs(RunSetup& setup, const std::function<double(const RunSetup&)>& total_s) {
  Disturbance& disturbance = setup.disturbance;
  if (disturbance.repeat <= 1) {
    return {};
  }
  const std::uint64_t first = disturbance.seed;
  std::vector<std::pair<double, std::uint64_t>> totals;  // total and seed
  totals.reserve(disturbance.repeat);
  for (std::uint32_t run = 0; run < disturbance.repeat; ++run) {
    disturbance.seed = first + run;
    totals.emplace_back(total_s(setup), disturbance.seed);
  }
  std::sort(totals.begin(), totals.end());
  const auto& [median_s, seed] = totals[(totals.size() - 1) / 2];
  disturbance.seed = seed;
  return {disturbance.repeat, seed, totals.front().first, median_s, totals.back().first};
}

}}  // namespace tutti::sim
