// How far a prediction is from what happened: the one definition, for tables, reasons and JSON.
#pragma once

#include <optional>

namespace tutti::inline base {

// The relative error of a prediction: (predicted - happened) / happened, so that -0.5 is half of
// what happened. 0 when both are 0, nothing when only what happened is.
[[nodiscard]] inline std::optional<double> relative_error(double predicted, double happened) {
  if (happened == 0) {
    return predicted == 0 ? std::optional(0.0) : std::nullopt;
  }
  return (predicted - happened) / happened;
}

}  // namespace tutti::inline base
