// The relative error of predictions, as tables, explanations and JSON show it.
#pragma once

#include <optional>

namespace tutti { inline namespace base {

// Returns (predicted - happened) / happened: -0.5 if `predicted` is half of `happened`. Returns 0
// if both are 0, and nothing if only `happened` is 0.
[[nodiscard]] inline std::optional<double> relative_error(double predicted, double happened) {
  if (happened == 0) {
    return predicted == 0 ? std::optional(0.0) : std::nullopt;
  }
  return (predicted - happened) / happened;
}

}}  // namespace tutti::base
