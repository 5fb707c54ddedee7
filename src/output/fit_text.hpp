// What a fit of a model of messages has found, for people and for programs.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "src/experiments/fit/message_fit.hpp"

namespace tutti::inline output {

struct FitReport {
  MessageFitResult fit;
  std::vector<std::string> jobs;   // that were fitted to
  std::vector<std::string> cells;  // likewise
  std::vector<LeftOut> left_out;   // where asked for
};

void print_fit(const FitReport& report, std::ostream& out);
// src/formats/schemas/tutti-fit-1.schema.json.
void write_fit_json(const FitReport& report, std::ostream& out);

}  // namespace tutti::inline output
