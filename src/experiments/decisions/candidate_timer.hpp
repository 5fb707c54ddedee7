// Times every candidate in every cell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/decisions/candidate.hpp"
#include "src/experiments/decisions/predictions.hpp"
#include "src/experiments/decisions/timed_cell.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace experiments {

// The simulation of a candidate stops when the simulated time exceeds kBeaten times the best time
// so far. No candidate that can be simulated is ruled out by a formula, because formulas may exceed
// the simulated time: if blocks differ in size, with eager messages, and with several ports.
inline constexpr double kBeaten = 2;

struct TimingSetup {
  const std::vector<Candidate>& candidates;
  const std::vector<std::uint32_t>& ranks;
  // One per entry of `ranks`. With several placements: all machines of the first placement, then
  // all of the second, and so on.
  const std::vector<Machine>& machines;
  TimedBy by = TimedBy::simulation;
  bool everything = false;  // true: simulates all candidates to their end
  // True if segments must have 2^k or 3 * 2^k bytes, for any whole number k. Otherwise, segments
  // have exactly the size that the model finds best. In both cases, the algorithm's default
  // segments are tried too.
  bool round_segments = true;
  // If there is a baseline, a rule may take longer than the baseline by at most this share of the
  // baseline's time.
  double slower_at_most = 0;
  std::size_t jobs = 1;
  Runner* runner = nullptr;  // may be null if nothing is run
  // Schedules with more messages than this are not simulated; empty: no limit.
  std::optional<std::uint64_t> most_messages = {};
};

// A segment size to try for a candidate in a cell.
struct SegmentTrial {
  TimedCell* cell = nullptr;
  SegmentCandidate way;
};

class CandidateTimer {
 public:
  explicit CandidateTimer(const TimingSetup& setup);
  // Fills in TimedCell::times of all `cells`. The progress display shows the text `doing`.
  void time(std::vector<TimedCell*> cells, const std::string& doing) const;
  // Estimates the times of the trials `wishes` with the model, and adds the estimates to
  // TimedCell::recuts.
  void estimate(const std::vector<SegmentTrial>& wishes) const;
  // Times the trials `wishes`, and replaces the estimates of these trials in TimedCell::recuts.
  void recut(const std::vector<SegmentTrial>& wishes, const std::string& doing) const;

 private:
  // A candidate with the segment size that the model finds best, or with its default segments.
  struct Trial {
    std::size_t candidate = 0;
    bool default_segments = false;
  };

  // Cases to run, and the times to fill in.
  struct Wave {
    std::vector<CaseRun> runs;
    std::vector<CandidateTime*> times;
    bool runs_again = false;  // true if all cases have run before, without shifted starts

    CaseRun& add(CandidateTime& time, const CaseRun& run) {
      times.push_back(&time);
      return runs.emplace_back(run);
    }
  };

  // Returns the case of a candidate in a cell. The case has not run yet; if the candidate cannot
  // run in this cell, the outcome is a refusal. Uses the best segment size if `segment_bytes` is
  // empty.
  CaseRun look(const TimedCell& cell, std::size_t candidate,
               std::optional<std::uint64_t> segment_bytes = {}) const;
  // Returns the case of a candidate with the segments that the algorithm has without --segment. The
  // case is refused if `best`, the result of look(), has the same segments, or if no segment size
  // cuts the vector like the default.
  CaseRun look_at_default(const TimedCell& cell, const Trial& trial, const CaseRun& best) const;
  // Returns the cases of all trials, by cell and then by trial.
  [[nodiscard]] std::vector<CaseRun> look_at_all(const std::vector<TimedCell*>& cells) const;
  // Fills in the times of the trials that need no simulation: those that are refused, too large, or
  // timed by closed forms. Returns the trial with the shortest time by the closed form. `looks` has
  // the cell's cases.
  std::optional<std::size_t> sort_out(TimedCell& cell, const CaseRun* looks,
                                      MessageCount& messages) const;
  // Simulates the trials that have no time yet. Starts with those in `promising`, one per cell.
  void simulate(const std::vector<TimedCell*>& cells, const std::vector<CaseRun>& looks,
                const std::vector<std::optional<std::size_t>>& promising,
                const std::string& doing) const;
  // Gives trials that are the baseline's run the time of the baseline, and fills in
  // TimedCell::at_most_s.
  void take_baseline(TimedCell& cell) const;
  // Leaves one time per candidate in TimedCell::times, the shorter one; the other one goes to
  // TimedCell::recuts.
  void keep_faster_segments(TimedCell& cell) const;
  // Runs the leaders of each cell again, to see whether their times depend on ties; `looks` has the
  // results of look_at_all().
  void run_leaders_again(const std::vector<TimedCell*>& cells,
                         const std::vector<CaseRun>& looks) const;
  void run_wave(Wave& wave, const std::string& doing) const;
  // Runs each case in all placements, and returns the mean times. The machines of `runs` must be
  // those of the first placement.
  [[nodiscard]] std::vector<CandidateTime> run_placed(std::vector<CaseRun>& runs,
                                                      const std::string& doing) const;
  [[nodiscard]] const Candidate& candidate_of(std::size_t trial) const {
    return setup_.candidates[trials_[trial].candidate];
  }
  [[nodiscard]] std::size_t placements() const {
    return setup_.machines.size() / setup_.ranks.size();
  }
  // Estimates by the closed form if a run that was not simulated, because it has too many messages,
  // might be the best.
  bool may_win(const CaseRun& run, const TimedCell& cell) const;

  TimingSetup setup_;
  std::vector<MachineFacts> facts_;  // one per machine
  // All candidates, and then the candidates with Candidate::cuts with their default segments.
  std::vector<Trial> trials_;
  std::optional<std::size_t> baseline_;  // index of the candidate with Candidate::baseline
};

}}  // namespace tutti::experiments
