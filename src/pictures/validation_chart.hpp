// Simulated beside measured.
#pragma once

#include "src/pictures/document.hpp"
#include "src/pictures/picture.hpp"

namespace tutti::inline pictures {

// Of a tutti-validation/1: each run where it was measured and where it was simulated, both by
// logarithms; on the diagonal the two agree.
[[nodiscard]] Picture agreement_chart(const nlohmann::json& validation, double width);
// By how much the simulated time is off, over the size.
[[nodiscard]] Picture error_chart(const nlohmann::json& validation, double width);

}  // namespace tutti::inline pictures
