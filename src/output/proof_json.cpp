// Writes proofs as JSON, whose schema is src/formats/schemas/tutti-verify-1.schema.json.
#include <nlohmann/json.hpp>

#include <ostream>

#include "schedules/notation/program/program.hpp"
#include "schedules/run_words.hpp"
#include "src/formats/json_text.hpp"
#include "src/output/proof_report.hpp"

namespace tutti::inline output {

namespace {

nlohmann::ordered_json to_json(const ProofCell& cell, const ProofOutcome& outcome,
                               const ScheduleFile* file) {
  nlohmann::ordered_json json;
  json["schema"] = "tutti-verify/1";
  json["collective"] = name(cell.problem.collective);
  json["algorithm"] = cell.algorithm->name;
  if (file != nullptr) {
    json["file"] = file->path;
  } else if (cell.algorithm->program != nullptr) {
    json["file"] = cell.algorithm->program->file();
  }
  json["ranks"] = cell.problem.ranks;
  json["bytes"] = cell.problem.bytes;
  json["root"] = has_root(cell.problem.collective) ? nlohmann::ordered_json(cell.problem.root)
                                                   : nlohmann::ordered_json();
  json["options"] = options_text(*cell.algorithm, cell.problem);
  if (outcome.refusal) {
    json["refused"] = *outcome.refusal;
    return json;
  }
  const Verdict& verdict = outcome.verdict;
  json["proved"] = verdict.proved();
  json["claims_hold"] = verdict.claims_hold();
  json["order"] = verdict.order == OperandOrder::rank_order         ? "rank_order"
                  : verdict.order == OperandOrder::commutative_only ? "commutative_only"
                                                                    : nlohmann::ordered_json();
  json["bitwise_equal"] = verdict.bitwise_equal;
  json["rounds"] = verdict.rounds;
  json["messages"] = verdict.messages;
  json["bytes_sent"] = verdict.bytes_sent;
  json["least_bytes_sent"] = verdict.bytes_lower_bound;
  json["bytes_reduced"] = verdict.bytes_reduced;
  json["dependencies"] = {{"data", verdict.dependencies.data},
                          {"buffer", verdict.dependencies.buffer},
                          {"pace", verdict.dependencies.pace},
                          {"implied_by_others", verdict.redundant_dependencies}};
  json["unread_writes"] = verdict.unread_writes;
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : verdict.findings) {
    json["findings"].push_back({{"kind", name(finding.kind)}, {"text", finding.text}});
  }
  for (std::size_t kind = 0; kind < kFindingKinds; ++kind) {
    json["counts"][std::string(name(static_cast<FindingKind>(kind)))] = verdict.counts[kind];
  }
  return json;
}

}  // namespace

void write_proofs_json(const ScheduleFile* file, const std::vector<ProofCell>& cells,
                       const std::vector<ProofOutcome>& outcomes, std::ostream& out) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    all.push_back(to_json(cells[i], outcomes[i], file));
  }
  out << json_text(all, 2) << '\n';
}

}  // namespace tutti::inline output
