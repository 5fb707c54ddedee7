// Charts of simulated and measured times.
#pragma once

#include "src/pictures/document.hpp"
#include "src/pictures/picture.hpp"

namespace tutti::inline pictures {

// Draws a tutti-validation/1 document: a dot for each run, at its measured and its simulated time,
// both logarithmic. The two times agree on the diagonal.
[[nodiscard]] Picture agreement_chart(const nlohmann::json& validation, double width);
// Draws the simulated time relative to the measured time, by size.
[[nodiscard]] Picture error_chart(const nlohmann::json& validation, double width);

}  // namespace tutti::inline pictures
