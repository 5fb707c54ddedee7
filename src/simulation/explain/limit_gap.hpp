// Computes what separates the time of a run from the lower bound for all schedules
// (machine_bound.hpp).
//
// A bound on bytes is startup + amount / rate, where `rate` is the rate of a cut: links, or ports,
// that the amount must cross. In the run, these links are at each moment either idle or used. So
// the time of the run is the bound, plus the time in which bytes cross that need not, plus the time
// in which the cut is idle. An idle moment is divided further: nothing crosses the cut, or some
// links carry no message, or messages are slower than the links. Ports, and the cores of a bound on
// reductions, are treated alike.
//
// A bound on latencies has no cut. It is compared with the latencies on the critical chain.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cost_models/bounds/network_bound.hpp"
#include "platforms/network.hpp"
#include "src/simulation/explain/time_account.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace simulation {

enum class GapPart : std::uint8_t {
  limit,  // the bound
  extra,  // bytes or work beyond the amount that any schedule needs
  // Before the first byte crosses, without the start-up time that the bound includes. Negative if
  // messages cross earlier that need not cross.
  before,
  // Nothing crosses, between the first byte and the last: the next message waits for its latency,
  // or has not started yet.
  starting,
  waiting,
  after,      // after the last byte
  unused,     // share of the cut without a message, while the rest of it has messages
  slow,       // messages are slower than the cut
  latencies,  // latencies on the critical chain, less the bound; negative if there are fewer
  rest,       // what the critical chain does besides latencies
  beyond,     // all that is not in the bound, if the bound adds up latencies and bytes
};
inline constexpr std::array<std::string_view, 11> kGapParts{
    "limit",  "extra", "before",    "starting", "waiting", "after",
    "unused", "slow",  "latencies", "rest",     "beyond"};
[[nodiscard]] constexpr std::string_view name(GapPart part) {
  return kGapParts[static_cast<std::size_t>(part)];
}

// True if a bound of this form consists of latencies alone.
[[nodiscard]] bool is_of_latencies(Certificate form);

struct LimitGap {
  // Reason why no bound is known, as a sentence for the user; empty if it is known. Without a
  // bound, all other members are meaningless.
  std::string unknown;
  NetworkBound bound;
  std::shared_ptr<Network> network;  // for the names of links
  bool of_messages = false;          // true: messages follow a message model
  double total_s = 0;                // simulated time of the run
  // The parts of the time that are not 0, which add up to total_s up to rounding. Empty if nothing
  // limits the problem.
  std::vector<std::pair<GapPart, double>> parts;

  // Bytes that crossed the cut in the run, or work that was done, as BoundPart::amount counts.
  double crossed = 0;
  std::size_t pauses = 0;  // number of times that nothing crosses, after the first byte
  static constexpr std::size_t kTenths = 10;
  // Share of the cut's capacity without a message, in each tenth of the run.
  std::array<double, kTenths> idle{};
  // First and last round of the operations that are under way in the tenth that is most idle.
  std::size_t most_idle = 0;
  std::uint32_t first_round = 0;
  std::uint32_t last_round = 0;

  // Messages on the critical chain, each of which waits for its latency.
  std::size_t chain_messages = 0;

  // True if the bound is on bytes or work that cross one cut.
  [[nodiscard]] bool has_cut() const;
  [[nodiscard]] double sum_s() const;
  // The bound, as RunResult::bound_s.
  [[nodiscard]] std::optional<double> bound_s() const {
    return unknown.empty() ? std::optional(bound.seconds()) : std::nullopt;
  }
};

// Compares a run with its lower bound. The run must have its schedule and its timeline. `one_rank`:
// the schedule is that of one rank, in place of all ranks (one_rank.hpp).
[[nodiscard]] LimitGap limit_gap(const Simulation& run, const TimeAccount& account, bool one_rank);

}}  // namespace tutti::simulation
