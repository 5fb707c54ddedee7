// Results of fitting a message model, as text and as JSON.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "src/experiments/fit/message_fit.hpp"
#include "src/formats/document.hpp"

namespace tutti { inline namespace output {

struct FitReport {
  MessageFitResult fit;
  std::size_t spread_only = 0;      // number of points that count only for the spread
  std::vector<std::string> jobs;    // jobs used in the fit
  std::vector<std::string> cells;   // cells used in the fit
  std::vector<KeptParameter> kept;  // parameters that could not be fitted
  // Fits to all jobs but one, and fits to a single job; empty unless requested.
  std::vector<SplitFit> left_out;
};

void print_fit(const FitReport& report, std::ostream& out);
// Prints the parameters that "points" or "runs" hardly distinguish, under a heading; nothing if
// there are none.
void print_alike_parameters(const std::vector<AlikeParameters>& alike, std::string_view by,
                            std::ostream& out);
[[nodiscard]] FieldView alike_fields();
inline constexpr FieldsOf<AlikeParameters> kAlikeFields{alike_fields};
extern const DocumentOf<FitReport> kFitDocument;

}}  // namespace tutti::output
