// Results of fitting a message model, as text and as JSON.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "src/experiments/fit/message_fit.hpp"

namespace tutti::inline output {

struct FitReport {
  MessageFitResult fit;
  std::vector<std::string> jobs;   // jobs used in the fit
  std::vector<std::string> cells;  // cells used in the fit
  // Fits to all jobs but one, and fits to a single job; empty unless requested.
  std::vector<LeftOut> left_out;
};

void print_fit(const FitReport& report, std::ostream& out);
// Writes JSON whose schema is src/formats/schemas/tutti-fit-1.schema.json.
void write_fit_json(const FitReport& report, std::ostream& out);

}  // namespace tutti::inline output
