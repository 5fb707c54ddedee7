#include "src/experiments/sweep/cell_answer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "src/formats/json_schema.hpp"
#include "src/simulation/outcome_json.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Throws UserError unless `part`, the figures or the effort of a cell, matches its schema.
void check_part(const nlohmann::json& part, const char* name) {
  if (const auto fault =
          json_schema("tutti-cell-answer-1", fmt::format("/definitions/{}", name)).fault_in(part)) {
    throw UserError(fmt::format("{}{} {}", name, fault->pointer, fault->text));
  }
}

nlohmann::json parse_part(const std::string& text, const char* name) {
  nlohmann::json part = parse_json(text);
  check_part(part, name);
  return part;
}

bool is_done(const nlohmann::json& answer) {
  return answer.contains("status") && answer.at("status") == name(CellStatus::done) &&
         answer.size() == 4 && answer.contains("figures") && answer.contains("effort");
}

}  // namespace

std::optional<std::string> fault_in(const CellAnswer& answer) {
  if (answer.status != CellStatus::done) {
    return answer.figures.empty() && answer.effort.empty()
               ? std::nullopt
               : std::optional<std::string>("the cell has figures, although it is not done");
  }
  try {
    (void)parse_part(answer.figures, "figures");
    (void)parse_part(answer.effort, "effort");
  } catch (const UserError& error) {
    return error.what();
  }
  return std::nullopt;
}

std::string_view name(CellStatus status) {
  return status == CellStatus::done ? "done" : status == CellStatus::refused ? "refused" : "failed";
}

CellAnswer answer_of(const Outcome& outcome, bool between) {
  CellAnswer answer;
  answer.message = with_fields(outcome.why_not());
  if (const RunResult* result = outcome.result()) {
    answer.status = CellStatus::done;
    answer.figures = figures_json(*result).dump();
    answer.effort = effort_json(*result).dump();
    if (between) {
      nlohmann::json effort = nlohmann::json::parse(answer.effort);
      effort[kBetween] = 1;
      answer.effort = effort.dump();
    }
  } else if (const Refusal* refusal = outcome.refusal()) {
    answer.status = CellStatus::refused;
    answer.refusal = name(refusal->kind);
    answer.pattern = with_fields(refusal->why.pattern);
  }
  return answer;
}

std::optional<double> bound_of(const CellAnswer& answer) {
  const nlohmann::json figures = parse_json(answer.figures.empty() ? "{}" : answer.figures);
  const auto bound = figures.find("bound_s");
  return bound != figures.end() && bound->is_number() ? std::optional(bound->get<double>())
                                                      : std::nullopt;
}

Outcome outcome_of(const Case& cell, const CellAnswer& answer) {
  switch (answer.status) {
    case CellStatus::done:
      try {
        return result_of(cell, parse_part(answer.figures, "figures"),
                         parse_part(answer.effort, "effort"));
      } catch (const UserError& error) {
        throw UserError(fmt::format("the results of a cell of {} are invalid: {}",
                                    cell.algorithm->full_name(), error.what()));
      }
    case CellStatus::refused:
      return Refusal{refusal_kind_named(answer.refusal), {answer.message, answer.pattern}};
    case CellStatus::failed:
      break;
  }
  return Failure{answer.message};
}

Outcome outcome_of_answer_line(const Case& cell, const std::string& line) {
  const nlohmann::json parsed = parse_json(line);
  if (!parsed.is_object() || !parsed.contains("schema") || parsed.at("schema") != kOutcomeSchema) {
    throw UserError(
        fmt::format("this line is not an answer about a cell; expected schema {}", kOutcomeSchema));
  }
  if (is_done(parsed)) {  // the most frequent of the schema's three forms
    check_part(parsed.at("figures"), "figures");
    check_part(parsed.at("effort"), "effort");
  } else {
    check_against_schema(parsed, "tutti-cell-answer-1");
  }
  return outcome_of(cell, parsed);
}

}}  // namespace tutti::experiments
