// Writes explanations as JSON, whose schema is src/formats/schemas/tutti-explanation-1.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>

#include "src/simulation/explain/contrast.hpp"

namespace tutti::inline output {

// Returns the explanation without the result, the links, and the data of individual operations.
[[nodiscard]] nlohmann::ordered_json explanation_summary_json(const Explanation& explanation);
void write_explanation_json(const Explanation& explanation, std::ostream& out);
// Writes the JSON of the run, with the explanation as a member.
void write_explained_result_json(const Explanation& explanation, std::ostream& out);
// Writes both explanations, and their differences.
void write_contrast_json(const Contrast& contrast, const Explanation& first,
                         const Explanation& second, std::ostream& out);

}  // namespace tutti::inline output
