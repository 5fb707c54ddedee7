// The times of all candidates in a cell: one number of ranks with one vector size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace experiments {

// Source of the times.
enum class TimedBy : std::uint8_t {
  simulation,    // the engine that --engine names
  exact,         // closed forms; algorithms without a closed form are left out
  longest_path,  // longest path of the schedule, with ports and cores but without a network
  measured,      // read from a file
};
inline constexpr std::array kTimedBy{TimedBy::simulation, TimedBy::exact, TimedBy::longest_path,
                                     TimedBy::measured};
[[nodiscard]] std::string_view name(TimedBy by);  // "simulation", "longest-path"

// Time of a candidate. If a simulated time depends on tie-breaking, `seconds` is the median over
// several tie-breaking orders.
struct CandidateTime : RangedTime {
  enum class State : std::uint8_t {
    none,  // not timed yet, or not in the file of measured times
    timed,
    refused,    // `refusal` says why
    beaten,     // the simulation was stopped; the candidate takes at least `seconds`
    too_large,  // not simulated, because it has more messages than TimingSetup::most_messages
  };
  State state = State::none;
  // True if the time may depend on ties, and this has not been checked yet; see tie_runs.hpp.
  bool may_tie = false;
  std::uint64_t segment_bytes = 0;
  TimeBySpending parts;  // what a simulated time is spent on
  // Times in all placements of the ranks, if there are several placements. `seconds` is the mean of
  // these times.
  std::vector<double> placed_s;
  std::string refusal;

  [[nodiscard]] bool timed() const { return state == State::timed; }
  [[nodiscard]] const RangedTime& time() const { return *this; }
};

// A candidate with one segment size; 0 means unsegmented.
struct SegmentCandidate {
  std::size_t candidate = 0;
  std::uint64_t segment_bytes = 0;

  friend auto operator<=>(const SegmentCandidate&, const SegmentCandidate&) = default;
};

// Time of a candidate with a segment size other than the one that the model finds best. Such times
// allow a rule to keep one segment size for several vector sizes.
struct SegmentTime : RangedTime {
  enum class State : std::uint8_t {
    // Not timed: `seconds` is the time that the model predicts, corrected by the model's error at
    // the best segment size, for which the time is known.
    estimated,
    timed,
    refused,
  };
  SegmentCandidate way;
  State state = State::estimated;
  std::vector<double> placed_s;  // as in CandidateTime; empty for an estimate

  [[nodiscard]] bool known() const { return state != State::refused; }
  [[nodiscard]] const RangedTime& time() const { return *this; }
};

struct TimedCell {
  std::uint32_t rank_index = 0;  // index into TimingSetup::ranks
  std::uint64_t bytes = 0;
  bool on_grid = true;  // true: the user requested this size; false: it was added between two sizes
  // Number of calls with this size and number of ranks in a program's profile. Losses are weighted
  // by the time of these calls or, if `calls` is 0 in all cells, by ranges of sizes on a
  // logarithmic scale.
  double calls = 0;
  std::vector<CandidateTime> times;  // one per candidate
  std::vector<SegmentTime> recuts;   // times with other segment sizes
  // True for candidates that are not timed in this added cell, because they were much slower than
  // the best in both neighbouring cells. Empty if all candidates are timed.
  std::vector<bool> outliers;
  // True if a candidate that is too large to be simulated might be the best.
  bool undecided = false;
  // Number of messages of the largest candidate that makes the cell undecided.
  std::uint64_t messages_needed = 0;
  // The candidate that rules may always choose. Rules may choose another candidate only if it takes
  // at most `at_most_s` seconds in this cell.
  std::optional<std::size_t> baseline = std::nullopt;
  double at_most_s = std::numeric_limits<double>::infinity();
  // True for candidates that no rule may choose in this cell, although their times are known. They
  // do not count below. Empty if there are none.
  std::vector<bool> barred = {};
  // Least time of any schedule in this cell, in seconds; the mean over placements. find_limits() in
  // decision.hpp fills it in.
  std::optional<double> bound_s = std::nullopt;

  // Returns how many times as long as bound_s a run of `seconds` takes; nothing if bound_s is
  // unknown or 0.
  [[nodiscard]] std::optional<double> of_limit(double seconds) const {
    return bound_s && *bound_s > 0 ? std::optional(seconds / *bound_s) : std::nullopt;
  }
  // Returns `way`, but unsegmented if its segment is as long as the vector.
  [[nodiscard]] SegmentCandidate as_unsegmented(const SegmentCandidate& way) const {
    return {way.candidate, way.segment_bytes < bytes ? way.segment_bytes : 0};
  }
  // Returns `candidate` with the segment size for which `times` has its time.
  [[nodiscard]] SegmentCandidate way_of(std::size_t candidate) const;
  // Returns the time of `way`, a candidate with a segment size. Empty if this time is neither known
  // nor estimated.
  [[nodiscard]] std::optional<RangedTime> time_of(const SegmentCandidate& way) const;
  [[nodiscard]] std::optional<double> seconds_of(const SegmentCandidate& way) const;
  // Returns the same as time_of(), but nothing if the time is only an estimate.
  [[nodiscard]] std::optional<RangedTime> timed_time_of(const SegmentCandidate& way) const;
  [[nodiscard]] SegmentTime* recut_of(const SegmentCandidate& way);
  [[nodiscard]] bool bars(std::size_t candidate) const {
    return candidate < barred.size() && barred[candidate];
  }
  // True if a rule may choose `way`: see at_most_s and `barred`.
  [[nodiscard]] bool allows(const SegmentCandidate& way) const;
  // Returns the shortest known time of all candidates with all segment sizes; empty if no candidate
  // is timed.
  [[nodiscard]] std::optional<RangedTime> least() const;

  // Returns the candidate with the shortest time; if several candidates tie, the first of them.
  // Empty if no candidate is timed.
  [[nodiscard]] std::optional<std::size_t> best() const;
  // Returns the fastest candidate, timed or beaten, that takes longer than the best by more than a
  // rounding error.
  [[nodiscard]] std::optional<std::size_t> second() const;
  // Returns the other candidates that take as long as the best, up to rounding.
  [[nodiscard]] std::vector<std::size_t> equals() const;
  // True if the range of times of a slower candidate overlaps that of the best candidate, so that
  // tie-breaking decides between them.
  [[nodiscard]] bool level_within_ties() const;
};

}}  // namespace tutti::experiments
