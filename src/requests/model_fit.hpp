// How well a model with fitted parameters fits, as its file states it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti { inline namespace requests {

// 95 % confidence interval of a measured figure or a fitted parameter.
struct FigureBounds {
  std::string name;  // "within_node.alpha_s"
  double low = 0;
  double high = 0;
};

// How well the model predicts the measured times to which it was fitted. `Uncertainty` is a
// FitUncertainty.
template <typename Uncertainty>
struct ModelFit {
  std::size_t points = 0;  // number of measured times
  // Median of max(predicted / measured, measured / predicted) - 1 over all points.
  double error = 0;
  std::vector<FigureBounds> parameters;
  std::optional<Uncertainty> uncertainty;
};

// Returns a map for a document. It refers to `bounds`.
[[nodiscard]] std::vector<std::pair<std::string_view, FigureBounds>> by_name(
    const std::vector<FigureBounds>& bounds);

}}  // namespace tutti::requests
