// An explanation for programs: src/formats/schemas/tutti-explanation-1.schema.json says what is in
// it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>

#include "src/simulation/explain/contrast.hpp"

namespace tutti::inline output {

// Without the run's own JSON, its links, and what is told operation by operation.
[[nodiscard]] nlohmann::ordered_json explanation_summary_json(const Explanation& explanation);
void write_explanation_json(const Explanation& explanation, std::ostream& out);
// The run's own JSON, with its explanation in it.
void write_explained_result_json(const Explanation& explanation, std::ostream& out);
// Both, and where they part.
void write_contrast_json(const Contrast& contrast, const Explanation& first,
                         const Explanation& second, std::ostream& out);

}  // namespace tutti::inline output
