// Computes which choices are sure, given the uncertainty of a fitted message model. A cell has the
// simulated algorithms of one number of ranks and one size; its choice is the fastest of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <vector>

#include "base/messages.hpp"
#include "src/experiments/compare/cell_winners.hpp"
#include "src/experiments/compare/comparison.hpp"
#include "src/simulation/case.hpp"

namespace tutti { inline namespace experiments {

// A simulated algorithm of a cell.
struct RunInCell {
  std::size_t contender = 0;
  double seconds = 0;
  Case run;
};

struct RunsOfCell {
  std::uint32_t rank_index = 0;
  std::uint64_t bytes = 0;
  std::size_t best = 0;  // the contender that is chosen
  std::vector<RunInCell> runs;
};

struct SureCell {
  std::uint32_t rank_index = 0;
  std::uint64_t bytes = 0;
  std::size_t best = 0;  // the contender with the shortest time
  // Probability that `best` takes at most 10 % (kGoodChoice) more time than the fastest contender.
  double chance = 1;
  bool sure = true;  // true if `chance` is at least the level
  // If `sure` is false: `best`, the second, and the other contenders for which this probability is
  // at least 1 - level, in rising order of their times.
  std::vector<std::size_t> may_be_best;
};

struct SureChoices {
  double level = 0;  // the probability that a sure choice needs
  std::vector<SureCell> cells;

  [[nodiscard]] std::size_t sure() const;  // number of sure cells
};

// Throws UserError if the machine's message model does not state its uncertainty, or if each run is
// repeated with random delays.
void check_sure(const Machine& machine);

// Simulates the fastest runs of each cell again with changed parameters of the message model (see
// uncertain_time()), `jobs` cells at a time. Leaves out runs that take more than twice the best
// time, and counts runs that always take the same time once, under the name of the first.
// `machine`: one of the machines of the runs, which check_sure() must accept. `cell`: returns the
// runs of one of the `cells` cells; several threads call it.
[[nodiscard]] SureChoices sure_choices(std::size_t cells,
                                       const std::function<RunsOfCell(std::size_t)>& cell,
                                       const Machine& machine, double level, std::size_t jobs,
                                       Messages& messages);

// The same for the cells of a comparison in which a contender has a time.
[[nodiscard]] SureChoices sure_choices(const Comparison& comparison, const WinnerMap& winners,
                                       double level, std::size_t jobs, Messages& messages);

}}  // namespace tutti::experiments
