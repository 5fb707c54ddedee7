// The time of a step and what it goes to, as text and as JSON.
#pragma once

#include <ostream>
#include <string>

#include "src/formats/document.hpp"
#include "src/steps/answer.hpp"

namespace tutti { inline namespace output {

void print_step(const StepAnswer& answer, std::ostream& out);

// Returns the axes and their sizes: "tp 8, pp 4".
[[nodiscard]] std::string layout_in_words(const std::vector<LayoutAxis>& layout);
// Returns how far the times of the two engines are apart.
[[nodiscard]] std::string step_engines_in_words(const EngineComparison& comparison);

// Returns the collective of a call, or "handover", "message", "dispatch" or
// "combine".
[[nodiscard]] std::string_view call_name(const StepCall& call);
// Returns how the algorithm of a call was chosen: "named", "nccl" or "best".
[[nodiscard]] std::string_view name(AlgorithmRule::By by);

// Prints which groups slow each other, if it was asked for.
void print_contention(const StepAnswer& answer, std::ostream& out);
// Prints the changes of the answer, if they were asked for.
void print_changes(const StepAnswer& answer, std::ostream& out);
// Returns a change in words: "no time", "not beside computing".
[[nodiscard]] std::string change_in_words(const StepAnswer& answer, const StepChange& change);

extern const DocumentOf<StepAnswer> kStepDocument;

}}  // namespace tutti::output
