// Charts of an explanation: from the formula to the simulated time step by step, where the time
// goes, and what would help.
#pragma once

#include <optional>

#include "src/pictures/document.hpp"
#include "src/pictures/picture.hpp"

namespace tutti::inline pictures {

// Draws the steps from the formula to the simulated time. `explanation` is a document or part of a
// recording. `title` names the run. `links` are the links of that document or recording, with their
// places, or null.
[[nodiscard]] Picture waterfall_chart(const nlohmann::json& explanation, const std::string& title,
                                      const nlohmann::json& links, double width);

// Draws a bar for each part of the time.
[[nodiscard]] Picture account_chart(const nlohmann::json& explanation, const std::string& title,
                                    double width);

// Draws a bar for each improvement. The explanation must have improvements.
[[nodiscard]] Picture improvements_chart(const nlohmann::json& explanation,
                                         const std::string& title, double width);

}  // namespace tutti::inline pictures
