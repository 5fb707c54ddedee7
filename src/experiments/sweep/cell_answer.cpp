#include "src/experiments/sweep/cell_answer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "simulation/result_figures.hpp"
#include "src/formats/json_schema.hpp"

namespace tutti {

namespace {

using Json = nlohmann::ordered_json;  // to write: keys keep their order
using ReadJson = nlohmann::json;

constexpr const char* kSchema = "tutti-cell-answer/1";

// Of an answer's line: before the figures, and between them and the effort. Within a JSON text, the
// second can stand nowhere else: quotes in strings have a backslash.
std::string begin_of_done() {
  return fmt::format(R"({{"schema":"{}","status":"done","figures":)", kSchema);
}
constexpr std::string_view kMiddleOfDone = R"(,"effort":)";

bool is_effort(std::string_view figure) {
  return figure.ends_with("_wall_s") || figure == "peak_rss_bytes";
}

// JSON has no infinity: a link that carries any number of messages has no bandwidth to name.
Json to_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
template <typename Number>
Json to_json(Number value) {
  return Json(value);
}

void read(const ReadJson& json, double& value) {
  value = json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}
template <typename Number>
void read(const ReadJson& json, Number& value) {
  json.get_to(value);
}

}  // namespace

namespace {

// One of the two parts of a cell's figures, as its schema has it.
ReadJson part(const std::string& text, const char* name) {
  ReadJson json = parse_json(text);
  if (const auto fault =
          json_schema("tutti-cell-answer-1", fmt::format("/definitions/{}", name)).fault_in(json)) {
    throw UserError(fmt::format("{}{} {}", name, fault->pointer, fault->text));
  }
  return json;
}

}  // namespace

std::optional<std::string> fault_in(const CellAnswer& answer) {
  if (answer.status != CellStatus::done) {
    return answer.figures.empty() && answer.effort.empty()
               ? std::nullopt
               : std::optional<std::string>("it has figures, though it is not done");
  }
  try {
    (void)part(answer.figures, "figures");
    (void)part(answer.effort, "effort");
  } catch (const UserError& error) {
    return error.what();
  }
  return std::nullopt;
}

std::string_view name(CellStatus status) {
  return status == CellStatus::done ? "done" : status == CellStatus::refused ? "refused" : "failed";
}

CellAnswer answer_of(const RunResult& result) {
  Json figures;
  Json effort;
  for_each_figure(result, [&](std::string_view figure, const auto& value) {
    (is_effort(figure) ? effort : figures)[std::string(figure)] = to_json(value);
  });
  if (result.symmetry) {
    figures["symmetry"] = static_cast<int>(*result.symmetry);
    figures["classes"] = result.classes;
  }
  if (!result.described.facts.notes.empty()) {
    figures["notes"] = result.described.facts.notes;
  }
  if (const auto& comparison = result.comparison) {
    figures["engines_differ_by"] = to_json(comparison->worst);
    figures["engines_differ_at"] = comparison->op;
    figures["simgrid_total_s"] = to_json(comparison->simgrid_total_s);
    effort["simgrid_wall_s"] = to_json(comparison->simgrid_wall_s);
  }
  return {CellStatus::done, "", figures.dump(), effort.dump()};
}

RunResult result_of(const CellAnswer& answer, const Cell& cell) {
  RunResult result;
  result.algorithm = cell.algorithm;
  result.problem = cell.problem;
  result.machine = cell.machine;
  result.described.facts.name = platform_name(cell.machine);
  try {
    const ReadJson figures = part(answer.figures, "figures");
    const ReadJson effort = part(answer.effort, "effort");
    for_each_figure(result, [&](std::string_view figure, auto& value) {
      read((is_effort(figure) ? effort : figures).at(std::string(figure)), value);
    });
    if (figures.contains("symmetry")) {
      result.symmetry = static_cast<Symmetry>(figures.at("symmetry").get<int>());
      result.classes = figures.value("classes", 1U);  // older answers: one rank for all
    }
    if (figures.contains("notes")) {
      figures.at("notes").get_to(result.described.facts.notes);
    }
    if (figures.contains("engines_differ_by")) {
      EngineComparison& comparison = result.comparison.emplace();
      comparison.tolerance = cell.machine.tolerance;
      read(figures.at("engines_differ_by"), comparison.worst);
      read(figures.at("engines_differ_at"), comparison.op);
      read(figures.at("simgrid_total_s"), comparison.simgrid_total_s);
      read(effort.at("simgrid_wall_s"), comparison.simgrid_wall_s);
    }
  } catch (const UserError& error) {
    throw UserError(fmt::format("the figures of a cell of {} cannot be read: {}",
                                cell.algorithm->full_name(), error.what()));
  } catch (const nlohmann::json::exception& error) {  // a figure that is missing
    throw UserError(fmt::format("the figures of a cell of {} cannot be read: {}",
                                cell.algorithm->full_name(), error.what()));
  }
  price(result);
  return result;
}

std::string to_line(const CellAnswer& answer) {
  // The objects are JSON already.
  if (answer.status == CellStatus::done) {
    return begin_of_done() + answer.figures + std::string(kMiddleOfDone) + answer.effort + '}';
  }
  return Json{{"schema", kSchema}, {"status", name(answer.status)}, {"message", answer.message}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

CellAnswer answer_of_line(const std::string& line) {
  // Taken apart where to_line() has put it together: most answers are this one. result_of() reads
  // the parts, and would find out if they were none.
  const std::string begin = begin_of_done();
  if (const std::size_t middle = line.rfind(kMiddleOfDone);
      line.starts_with(begin) && middle != std::string::npos && line.ends_with('}')) {
    const std::size_t effort = middle + kMiddleOfDone.size();
    return {CellStatus::done, "", line.substr(begin.size(), middle - begin.size()),
            line.substr(effort, line.size() - 1 - effort)};
  }
  const ReadJson json = parse_json(line);
  if (!json.is_object() || !json.contains("schema") || !json.at("schema").is_string() ||
      json.at("schema").get<std::string>() != kSchema) {
    throw UserError(fmt::format("no answer about a cell; accepted is schema {}", kSchema));
  }
  check_against_schema(json, "tutti-cell-answer-1");
  const auto status = json.at("status").get<std::string>();
  if (status == name(CellStatus::done)) {
    return {CellStatus::done, "", json.at("figures").dump(), json.at("effort").dump()};
  }
  return {status == name(CellStatus::refused) ? CellStatus::refused : CellStatus::failed,
          json.at("message").get<std::string>(), "", ""};
}

}  // namespace tutti
