#include "src/commands/documents.hpp"

#include <array>

#include "src/experiments/sweep/cell.hpp"
#include "src/experiments/sweep/cell_answer.hpp"
#include "src/output/algorithm_list.hpp"
#include "src/output/bound_output.hpp"
#include "src/output/choice_json.hpp"
#include "src/output/comparison_json.hpp"
#include "src/output/decision_text.hpp"
#include "src/output/doctor_output.hpp"
#include "src/output/explanation_json.hpp"
#include "src/output/fabric_text.hpp"
#include "src/output/fit_text.hpp"
#include "src/output/jobs_text.hpp"
#include "src/output/layouts_output.hpp"
#include "src/output/nccl_text.hpp"
#include "src/output/plan_text.hpp"
#include "src/output/profile_output.hpp"
#include "src/output/proof_report.hpp"
#include "src/output/rank_graph.hpp"
#include "src/output/result_json.hpp"
#include "src/output/schedule_stats.hpp"
#include "src/output/score_text.hpp"
#include "src/output/search_output.hpp"
#include "src/output/site_report.hpp"
#include "src/output/step_text.hpp"
#include "src/output/validation_text.hpp"
#include "src/requests/fabric_file.hpp"
#include "src/requests/message_file.hpp"
#include "src/requests/parameters.hpp"

namespace tutti { inline namespace commands {

std::span<const DocumentType* const> document_types() {
  static const auto types = std::to_array<const DocumentType*>({
      &kResultDocument,     &kComparisonDocument, &kExplanationDocument, &kContrastDocument,
      &kDecisionDocument,   &kBoundDocument,      &kStatsDocument,       &kRanksDocument,
      &kValidationDocument, &kScoreDocument,      &kFitDocument,         &kPlanDocument,
      &kSearchDocument,     &kChoiceDocument,     &kProfileDocument,     &kSiteReportDocument,
      &lint_document(),     &kProofDocument,      &kListDocument,        &kFormulasDocument,
      &kLibraryDocument,    &kNcclDocument,       &cell_document(),      &cell_answer_document(),
      &kDoctorDocument,     &help_document(),     &kMessagesDocument,    &kParametersDocument,
      &kFabricDocument,     &kFabricReport,       &kFabricPlanDocument,  &kStepDocument,
      &kLayoutsDocument,    &kJobsDocument,
  });
  return types;
}

}}  // namespace tutti::commands
