// Computes which choices of a decision are sure, given the uncertainty of the fitted message model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

namespace tutti::inline experiments {

struct Decision;  // src/experiments/decisions/decision.hpp

// A cell of the grid with at least one timed candidate.
struct SureCell {
  std::uint32_t rank_index = 0;
  std::uint64_t bytes = 0;
  std::size_t best = 0;  // the candidate with the shortest time
  // Probability that `best` takes at most 10 % (kGoodChoice) more time than the fastest candidate.
  double chance = 1;
  bool sure = true;  // true if `chance` is at least the level
  // If `sure` is false: `best`, the second, and the other candidates for which this probability is
  // at least 1 - level, in rising order of their times.
  std::vector<std::size_t> may_be_best;
};

struct SureChoices {
  double level = 0;  // the probability that a sure choice needs
  std::vector<SureCell> cells;

  [[nodiscard]] std::size_t sure() const;  // number of sure cells
};

// Throws UserError if the decision cannot say which choices are sure: its times are not simulated,
// they are means over several placements, or the uncertainty of its message model is not known.
void check_sure(const Decision& decision);

// Simulates the best candidates of each cell of the grid with the models drawn from the
// distribution of the fitted one, `jobs` cells at a time. Leaves out candidates that take more than
// twice the best time. check_sure() must accept the decision.
[[nodiscard]] SureChoices sure_choices(const Decision& decision, double level, std::size_t jobs,
                                       std::ostream& err);

}  // namespace tutti::inline experiments
