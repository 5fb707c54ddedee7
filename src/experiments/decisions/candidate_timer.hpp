// How long every candidate takes in a cell: one number of ranks, one size.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/decisions/candidate.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline experiments {

// What times come from.
enum class TimedBy : std::uint8_t {
  simulation,    // the engine that --engine names
  exact,         // closed forms; algorithms without one are left out
  longest_path,  // of the schedule, with ports and cores: no network
  measured,      // a file
};
[[nodiscard]] std::string_view name(TimedBy by);  // "simulation", "longest-path"

struct CandidateTime {
  enum class State : std::uint8_t {
    none,  // nobody has looked, or the file has no such run
    timed,
    refused,    // `refusal` says why
    beaten,     // not simulated, or not to its end: it takes at least `seconds`, twice the best
    too_large,  // not simulated: TimingSetup::most_messages
  };
  State state = State::none;
  double seconds = 0;  // simulated: the median where other orders of ties change it
  // How far these move it: sim/ties.hpp.
  double below_s = 0;
  double above_s = 0;
  bool may_tie = false;  // nobody has looked yet: src/experiments/tie_runs.hpp
  std::uint64_t segment_bytes = 0;
  Spent parts;  // of a simulated time
  // Where there are several placements, by placement: `seconds` is their mean.
  std::vector<double> placed_s;
  std::string refusal;

  [[nodiscard]] bool timed() const { return state == State::timed; }
  [[nodiscard]] RangedTime time() const { return {seconds, below_s, above_s}; }
};

// A candidate with segments of one size; 0 is uncut.
struct SegmentCandidate {
  std::size_t candidate = 0;
  std::uint64_t segment_bytes = 0;

  friend auto operator<=>(const SegmentCandidate&, const SegmentCandidate&) = default;
};

// With segments of another size than the best by the model: so that a rule need not change with
// every size.
struct SegmentTime {
  enum class State : std::uint8_t {
    estimated,  // by the model, from the time of the best size
    timed,
    refused,
  };
  SegmentCandidate way;
  State state = State::estimated;
  double seconds = 0;
  double below_s = 0;  // as of CandidateTime
  double above_s = 0;
  std::vector<double> placed_s;  // as of CandidateTime; empty of an estimate

  [[nodiscard]] bool known() const { return state != State::refused; }
  [[nodiscard]] RangedTime time() const { return {seconds, below_s, above_s}; }
};

struct TimedCell {
  std::uint32_t rank_index = 0;  // into the numbers of ranks
  std::uint64_t bytes = 0;
  bool on_grid = true;  // asked for by the user; else added between two sizes
  double calls = 0;     // of a program's profile; 0 in all cells: sizes count by their logarithm
  std::vector<CandidateTime> times;  // by candidate
  std::vector<SegmentTime> recuts;
  // Candidates that nobody needs here, since they were far from the best on both sides of a cell
  // that was added; empty: all are of interest.
  std::vector<bool> outliers;
  // What is too large to be simulated might be the best.
  bool undecided = false;
  std::uint64_t messages_needed = 0;  // of the largest schedule of those
  // The candidate that rules may take in any case, and how long every other one may take here.
  std::optional<std::size_t> baseline = std::nullopt;
  double at_most_s = std::numeric_limits<double>::infinity();

  // As its time has it: a segment as long as the vector is uncut.
  [[nodiscard]] SegmentCandidate way_of(std::size_t candidate) const;
  // Nothing where nobody has timed or estimated it.
  [[nodiscard]] std::optional<RangedTime> time_of(const SegmentCandidate& way) const;
  [[nodiscard]] std::optional<double> seconds_of(const SegmentCandidate& way) const;
  // Nothing where it is an estimate, too.
  [[nodiscard]] std::optional<RangedTime> timed_time_of(const SegmentCandidate& way) const;
  [[nodiscard]] SegmentTime* recut_of(const SegmentCandidate& way);
  // Whether a rule may take it: see at_most_s.
  [[nodiscard]] bool allows(const SegmentCandidate& way) const;
  // The shortest of all that are timed.
  [[nodiscard]] std::optional<RangedTime> least() const;

  // The candidate with the shortest time, of equal ones the first; nothing where none is timed.
  [[nodiscard]] std::optional<std::size_t> best() const;
  // The shortest of those that take longer by more than rounding; timed, or beaten.
  [[nodiscard]] std::optional<std::size_t> second() const;
  // Others that take as long as the best, up to rounding.
  [[nodiscard]] std::vector<std::size_t> equals() const;
  // True if the range of one that takes longer overlaps that of the best: ties decide between them.
  [[nodiscard]] bool level_within_ties() const;
};

// A candidate is not simulated when its closed form, with the prices of the platform's fastest
// route, takes so many times as long as the best one's simulated time, and no further than to that
// time when its simulation does.
inline constexpr double kBeaten = 2;

struct TimingSetup {
  const std::vector<Candidate>& candidates;
  const std::vector<std::uint32_t>& ranks;
  // By `ranks`; with several placements, all of the first, then all of the second, ...
  const std::vector<Machine>& machines;
  TimedBy by = TimedBy::simulation;
  bool everything = false;  // simulate beaten ones too
  // A power of two, or three times one, for every segment: else what the model finds best.
  bool round_segments = true;
  // How much longer than the baseline a rule may take, where there is a baseline.
  double slower_at_most = 0;
  std::size_t jobs = 1;
  Runner* runner = nullptr;  // where something is run
  // Schedules of more messages are not simulated; nothing: all are.
  std::optional<std::uint64_t> most_messages = {};
};

// A size of segments that a candidate might have in a cell.
struct SegmentTrial {
  TimedCell* cell = nullptr;
  SegmentCandidate way;
};

class CandidateTimer {
 public:
  explicit CandidateTimer(const TimingSetup& setup);
  // Fills in `times` of all cells; `doing` is for whoever waits.
  void time(std::vector<TimedCell*> cells, const std::string& doing) const;
  // Adds a recut for each wish, as the model has it.
  void estimate(const std::vector<SegmentTrial>& wishes) const;
  // Times recuts that are estimates.
  void recut(const std::vector<SegmentTrial>& wishes, const std::string& doing) const;

 private:
  // With a segment of the best size, or of the one given.
  CaseRun look(const TimedCell& cell, std::size_t candidate,
               std::optional<std::uint64_t> segment_bytes = {}) const;
  // Runs the leaders of each cell again, to see whether their times depend on ties; `looks` has a
  // run for each candidate of each cell.
  void run_leaders_again(const std::vector<TimedCell*>& cells,
                         const std::vector<CaseRun>& looks) const;
  void run_wave(const std::vector<std::pair<TimedCell*, std::size_t>>& wave,
                std::vector<CaseRun>& runs, const std::string& doing) const;
  // What each, which is on the machine of the first placement, takes in all: their mean.
  [[nodiscard]] std::vector<CandidateTime> run_placed(std::vector<CaseRun>& runs,
                                                      const std::string& doing) const;
  [[nodiscard]] std::size_t placements() const {
    return setup_.machines.size() / setup_.ranks.size();
  }
  // What it takes at least, in every placement.
  [[nodiscard]] std::optional<double> bound_s(const CaseRun& run, std::size_t rank_index) const;

  // Fills in how long the other candidates may take.
  void take_baseline(TimedCell& cell, std::size_t baseline) const;

  // Not simulated for its size, and not known to be slower than the best.
  bool may_win(const CaseRun& run, const TimedCell& cell) const;

  TimingSetup setup_;
  std::vector<MachineFacts> facts_;  // by machine
};

}  // namespace tutti::inline experiments
