#include "src/experiments/sweep/cell_answer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "src/formats/document.hpp"
#include "src/formats/json_schema.hpp"
#include "src/formats/visited_fields.hpp"
#include "src/simulation/outcome_json.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Names of the values of CellStatus, in the order of the enum.
constexpr std::array<std::string_view, 3> kStatuses{"done", "refused", "failed"};

// Throws UserError unless `part`, the figures or the effort of a cell, matches its schema.
void check_part(const nlohmann::json& part, const char* name) {
  if (const auto fault =
          json_schema("tutti-cell-answer-1", fmt::format("/definitions/done/properties/{}", name))
              .fault_in(part)) {
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

// The fields of answers, for the schema. outcome_line() writes them.
namespace answer_fields {

// Figures that databases of all versions have.
constexpr std::array<std::string_view, 9> kOldFigures{
    "simulated_s", "longest_path_s", "messages",        "bytes_sent",      "ops",
    "rounds",      "alpha_s",        "beta_s_per_byte", "gamma_s_per_byte"};

template <typename Value>
FieldLimits limits_of(std::string_view figure) {
  FieldLimits limits = std::ranges::count(kOldFigures, figure) == 0 ? added_later : FieldLimits();
  if (std::is_floating_point_v<Value>) {
    const bool is_total = figure == "simulated_s" || figure == "longest_path_s";
    limits = limits | nullable | (is_total ? FieldLimits() : any_sign);
  } else if (std::is_same_v<Value, std::uint32_t>) {
    limits = limits | at_most(kMostU32);
  }
  return limits;
}

struct FigureMembers {
  using Object = RunResult;
  template <typename Result, typename Visit>
  static void each(Result& result, const Visit& visit) {
    for_each_figure(result, [&visit](std::string_view figure, const auto& value) {
      if (!is_effort(figure)) {
        visit(figure, value, limits_of<std::remove_cvref_t<decltype(value)>>(figure),
              figure == "waited" ? "True if an operation waited for a port or a core, so that the "
                                   "time may depend on ties."
                                 : "");
      }
    });
  }
};

struct EffortMembers {
  using Object = RunResult;
  template <typename Result, typename Visit>
  static void each(Result& result, const Visit& visit) {
    for_each_figure(result, [&visit](std::string_view figure, const auto& value) {
      if (is_effort(figure)) {
        visit(figure, value, FieldLimits());
      }
    });
  }
};

constexpr Shape kCount{.kind = Shape::Kind::integer};
constexpr Shape kNumber{.kind = Shape::Kind::number};
constexpr Shape kText{.kind = Shape::Kind::text};

constexpr auto kFigures = fields<RunResult>(
    "Results of the run, which are the same each time. null stands for infinity.",
    {
        FieldsOf<RunResult>{VisitedFields<FigureMembers>::view},
        {"schedule", kText, like("^[a-z]*:[0-9a-f]*$", 40),
         "Fingerprint of the schedule that was run, or of the part of one rank if this rank "
         "represents all ranks."},
        {"unproved",
         kText,
         {},
         "Names an operation that has bytes but no blocks, so that the schedule cannot be proved. "
         "Absent if there is none."},
        {"symmetry", kCount, at_most(1),
         "Symmetry of the ranks, if one rank of each class was simulated in place of all ranks: 0 "
         "for rotation, 1 for exchange. Absent if all ranks were simulated."},
        {"classes", kCount, between(1, kMostU32),
         "Number of classes, which is the number of ranks that were simulated. 1 if absent."},
        {"ops_simulated",
         kCount,
         {},
         "Number of operations that were simulated, if rounds that repeat were left out. Absent if "
         "none were."},
        {"smallest_part_bytes",
         kCount,
         {},
         "Size of the schedule's smallest block, if the schedule splits what a rank owns into "
         "several blocks. smallest_block_bytes then counts these as one."},
        {"largest_part_bytes", kCount, {}, "As smallest_part_bytes."},
        {"bound_s", kNumber, nullable,
         "Lower bound on the time of any schedule on the network. Absent if it is unknown."},
        {"ties",
         {.kind = Shape::Kind::number, .lists = 1},
         items(5),
         "Number of runs with shifted starts, the seed of the shifts, and the shortest, median and "
         "longest time in seconds. The run without shifts is included in these times. Absent if "
         "ties were not checked."},
        {"notes",
         {.kind = Shape::Kind::text, .lists = 1},
         {},
         "Remarks on how this platform is simulated."},
        {"engines_differ_by", kNumber, nullable | any_sign,
         "With the engine both: largest difference in the start or the end of an operation."},
        {"engines_differ_at", kCount, at_most(kMostU32), "The operation with this difference."},
        {"simgrid_total_s", kNumber, nullable | any_sign, "Total time of the engine simgrid."},
        {kOtherNames, kNumber, nullable | any_sign, "Figures of other versions of tutti."},
    });

constexpr auto kEffort = fields<RunResult>(
    "Effort of the run: times in seconds of wall-clock time, memory in bytes.",
    {
        FieldsOf<RunResult>{VisitedFields<EffortMembers>::view},
        {"simgrid_wall_s", kNumber, {}, "With the engine both: time of the engine simgrid."},
        {kBetween,
         kNumber,
         {},
         "1 if the user did not ask for the size of the cell. Only in databases."},
        {kOtherNames, kNumber, {}, "Figures of other versions of tutti."},
    });

constexpr FieldLimits is(CellStatus status) {
  return required |
         FieldLimits{.words = &kStatuses[static_cast<std::size_t>(status)], .word_count = 1};
}

constexpr auto kDone = fields<RunResult>({{"status", kText, is(CellStatus::done), ""},
                                          {"figures", kFigures, required},
                                          {"effort", kEffort, required}});
constexpr auto kRefused = fields<Refusal>({
    {"status", kText, is(CellStatus::refused), ""},
    {"kind", kText, required | one_of(kRefusalKinds),
     "problem: the algorithm does not support the problem. too_large: the schedule is too large. "
     "given_up: the run takes longer than the time after which its exact time does not matter. "
     "request: another part of the request is invalid, such as the platform or an option."},
    {"message", kText, required | not_empty, ""},
    {"pattern", kText, required | not_empty, "The message with {} in place of each value."},
});
constexpr auto kFailed = fields<Failure>(
    {{"status", kText, is(CellStatus::failed), ""}, {"message", kText, required | not_empty, ""}});
constexpr std::array<DocumentForm, 3> kForms{
    {{"done", kDone.view()}, {"refused", kRefused.view()}, {"failed", kFailed.view()}}};

constexpr DocumentType kDocument{
    .schema = kOutcomeSchema,
    .title = "the outcome of a cell of a sweep, as 'tutti worker' writes it, one per line",
    .has_made_by = false,
    .forms = kForms};

}  // namespace answer_fields

}  // namespace

const DocumentType& cell_answer_document() { return answer_fields::kDocument; }

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

std::string_view name(CellStatus status) { return kStatuses[static_cast<std::size_t>(status)]; }

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
