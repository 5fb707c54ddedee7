// Computes which choices of a decision are sure (see src/experiments/compare/sure_cells.hpp).
#pragma once

#include <cstddef>
#include <iosfwd>

#include "base/messages.hpp"
#include "src/experiments/compare/sure_cells.hpp"

namespace tutti { inline namespace experiments {

struct Decision;  // src/experiments/decisions/decision.hpp

// Throws UserError if the decision cannot say which choices are sure: its times are not simulated,
// they are means over several placements, or the uncertainty of its message model is not known.
void check_sure(const Decision& decision);

// The cells are those of the grid that have a timed candidate; its contenders are the candidates.
// check_sure() must accept the decision.
[[nodiscard]] SureChoices sure_choices(const Decision& decision, double level, std::size_t jobs,
                                       Messages& messages);

}}  // namespace tutti::experiments
