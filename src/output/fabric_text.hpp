// How NCCL uses a network: fits and scores, as text and as JSON.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "src/experiments/fit/fabric_plan.hpp"
#include "src/formats/document.hpp"

namespace tutti { inline namespace output {

struct FabricReport {
  const MeasuredCalls* measured = nullptr;
  std::optional<FabricFitResult> fit;  // absent for scores only
  std::vector<FabricPrediction> predictions;
};

void print_fabric_fit(const FabricFitResult& fit, std::ostream& out);
// Prints a row for each number of nodes, class of sizes, and all calls, for each model.
void print_fabric_scores(const FabricReport& report, std::ostream& out);

extern const DocumentOf<FabricReport> kFabricReport;

struct FabricPlanReport {
  FabricPlan plan;
  double most_s = 0;
  std::string machine;  // "up to 16 nodes of 8 h100"
  std::string options;  // those of the machine, for the commands that follow: "--gpu h100"
};

void print_fabric_plan(const FabricPlanReport& report, std::ostream& out);
// Writes a shell script that runs the plan.
void write_fabric_script(const FabricPlanReport& report, std::ostream& out);

extern const DocumentOf<FabricPlanReport> kFabricPlanDocument;

}}  // namespace tutti::output
