// How long every candidate takes in a cell: one number of ranks, one size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulation/machine.hpp"
#include "src/experiments/decisions/candidate.hpp"
#include "src/experiments/runner/runner.hpp"

namespace tutti {

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
    refused,  // `refusal` says why
    beaten,   // not simulated: `seconds` is less than it takes, and more than the best needs
  };
  State state = State::none;
  double seconds = 0;
  std::uint64_t segment_bytes = 0;
  CriticalChain parts;  // of a simulated time; without the operations
  std::string refusal;

  [[nodiscard]] bool timed() const { return state == State::timed; }
};

struct TimedCell {
  std::uint32_t rank_index = 0;  // into the numbers of ranks
  std::uint64_t bytes = 0;
  bool on_grid = true;               // asked for by the user; else added between two sizes
  std::vector<CandidateTime> times;  // by candidate

  // The candidate with the shortest time, of equal ones the first; nothing where none is timed.
  [[nodiscard]] std::optional<std::size_t> best() const;
  // The next one, of those that take longer or are later in the list; timed, or beaten.
  [[nodiscard]] std::optional<std::size_t> second() const;
};

// A candidate is not simulated when its closed form, with the prices of the platform's fastest
// route, takes so many times as long as the best one's simulated time.
inline constexpr double kBeaten = 2;

struct TimingSetup {
  const std::vector<Candidate>& candidates;
  const std::vector<std::uint32_t>& ranks;
  const std::vector<Machine>& machines;  // by `ranks`
  TimedBy by = TimedBy::simulation;
  bool everything = false;  // simulate beaten ones too
  // A segment's size is rounded to a power of two where the model says that costs no more than
  // this.
  double tolerance = 0;
  std::size_t jobs = 1;
  Runner* runner = nullptr;  // where something is run
};

// Fills in `times` of all cells; `doing` is for whoever waits.
class CellTimer {
 public:
  explicit CellTimer(const TimingSetup& setup);
  void time(std::vector<TimedCell*> cells, const std::string& doing) const;

 private:
  CaseRun look(const TimedCell& cell, std::size_t candidate) const;
  void run_wave(const std::vector<std::pair<TimedCell*, std::size_t>>& wave,
                std::vector<CaseRun>& runs, const std::string& doing) const;

  TimingSetup setup_;
  std::vector<MachineFacts> facts_;  // by ranks
};

}  // namespace tutti
