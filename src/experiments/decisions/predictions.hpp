// Predicts what a candidate costs before it is run: its time by the cost model, the segment size
// with the shortest predicted time, and its number of messages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "schedules/algorithm.hpp"
#include "schedules/prices.hpp"
#include "sim/engine.hpp"
#include "src/simulation/case.hpp"

namespace tutti { inline namespace experiments {

// Returns the predicted time in seconds, from the closed form. If there is no closed form, or if
// ranks have several ports, uses the longest path through the schedule.
[[nodiscard]] double predicted_s(const Algorithm& algorithm, const Problem& problem,
                                 const Prices& prices, const RunSetup& setup);
// Returns the segment size, in bytes, that is the best according to the model. If `round` is true,
// returns the best of the neighbouring round sizes (2^k or 3 * 2^k bytes, for any whole number k)
// instead. A result equal to the size of the whole vector means unsegmented; 0 means that the
// vector is empty.
[[nodiscard]] std::uint64_t find_segment(const Algorithm& algorithm, Problem problem,
                                         const Prices& prices, const RunSetup& setup, bool round);
// Returns the segment size, in bytes, that cuts the vector as the algorithm does without --segment;
// empty if there is none. A result equal to the size of the whole vector means unsegmented.
// `problem.segment_bytes` must be 0, and the algorithm must support the problem.
[[nodiscard]] std::optional<std::uint64_t> default_segment(const Algorithm& algorithm,
                                                           Problem problem);
// True if, without --segment, the algorithm cuts a vector into a number of equal blocks, which
// depends on the vector's size, rather than into segments of a number of bytes. A rule that names
// the bytes of a segment cannot select this cut.
[[nodiscard]] bool cuts_by_count(const Algorithm& algorithm);

// Estimates how many messages the schedule of a candidate has, without making this schedule. Counts
// the messages of schedules for two small numbers of ranks, and extrapolates: on p ranks, the
// schedule of any algorithm has about p, p log p or p^2 messages, times the number of segments. Not
// thread-safe.
class MessageCount {
 public:
  // Returns the estimated number of messages of `what`, a case of `candidate`. Caches counts by
  // `candidate` and bytes. Returns 0 if the case has at most as many ranks as the larger of the two
  // counted schedules, or if the smaller one cannot be made.
  [[nodiscard]] std::uint64_t of(std::size_t candidate, const Case& what);

 private:
  struct MessageTotals {
    std::uint64_t few = 0;
    std::uint64_t more = 0;  // number of messages on twice as many ranks as for `few`
  };
  std::map<std::pair<std::size_t, std::uint64_t>, MessageTotals>
      counted_;  // by candidate and bytes
};

}}  // namespace tutti::experiments
