// All that `tutti decide` has to say, before it is put in words, in JSON, or in a library's rules.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/experiments/decisions/decision_search.hpp"
#include "src/experiments/decisions/rival.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline experiments {

// A rival's choice in one cell of the grid.
struct TableCell {
  std::uint32_t rank_index = 0;
  std::uint64_t bytes = 0;
  std::optional<Choice> choice;   // nothing where it has none
  Choice runs;                    // the choice, or what the library runs instead
  std::string refusal;            // why the choice itself cannot run
  std::optional<double> seconds;  // of `runs`; nothing where nothing is known to run
  double below_s = 0;             // of `seconds`, as of CandidateTime
  double above_s = 0;
  RangedTime best;

  // 0.1: takes 10 % longer than the best; 0 where that is within ties.
  [[nodiscard]] std::optional<double> loss() const;
};

struct Judgement {
  std::string rival;
  std::string title;  // "" where the name says it
  std::vector<TableCell> cells;

  [[nodiscard]] std::size_t judged() const;  // cells with a loss
  [[nodiscard]] double mean_loss() const;    // over those
  [[nodiscard]] const TableCell* worst() const;
};

struct Decision {
  Collective collective = Collective::allreduce;
  TimedBy by = TimedBy::simulation;
  std::string measured_file;
  std::size_t too_busy_runs = 0;  // of the file, left out: the machine was too busy for their times
  RuleLimits limits;
  double crossover = 0;
  std::uint32_t element_bytes = 8;
  std::vector<Candidate> candidates;
  std::vector<std::string> left_out;
  // By name, where the platform has switches for them: no table of rules says what switches do.
  std::vector<std::string> of_switches;
  // Schedules of more messages are not simulated; nothing: all are.
  std::optional<std::uint64_t> most_messages;
  // Where that leaves out what might be the best: they are none of `ranks`. Rising.
  std::vector<std::uint32_t> too_many_ranks;
  std::uint64_t messages_needed = 0;  // most_messages that would decide these too
  std::vector<std::uint32_t> ranks;   // rising
  std::vector<std::uint64_t> sizes_bytes;
  bool sizes_are_blocks = false;  // else n: of blocks, n is that times the number of ranks
  // By ranks; with several placements, those of the first, then those of the second, ... Empty
  // where times are measured.
  std::vector<Machine> machines;
  std::uint32_t first_seed = 1;         // of placements, where there are several
  std::optional<MachineFacts> facts;    // of the largest
  std::vector<RankDecision> decisions;  // by ranks
  std::optional<Judgement> judgement;
  double wall_s = 0;

  // n of a size.
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t size, std::uint32_t on_ranks) const {
    return sizes_are_blocks ? size * on_ranks : size;
  }
  [[nodiscard]] std::size_t placements() const {
    return machines.empty() ? 1 : machines.size() / ranks.size();
  }
};

// The table that the decisions make, as of steps_of(). None where all is left to the library.
[[nodiscard]] std::vector<RankStep> steps_decided(
    const Decision& decision,
    const std::function<std::string(const RankDecision&, std::size_t interval)>& why);

// What the rival chooses in each cell of the grid, and what it loses. `runner`: null where nothing
// is run.
[[nodiscard]] Judgement judge(const Decision& decision, const Rival& rival, Runner* runner);

}  // namespace tutti::inline experiments
