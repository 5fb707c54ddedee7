#include "src/simulation/outcome_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <limits>

#include "base/error.hpp"

namespace tutti { inline namespace simulation {

namespace {

using Json = nlohmann::ordered_json;  // for writing: keys keep their order
using ReadJson = nlohmann::json;

// Infinity becomes null, because JSON has no infinity. A link that carries any number of messages
// at full speed has an infinite bandwidth.
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

// Converts Repeats or a TieRange to a list and back.
template <typename Range>
Json range_json(const Range& range) {
  return Json::array({range.runs, range.seed, range.least_s, range.median_s, range.most_s});
}
template <typename Range>
void read_range(const ReadJson& figures, const char* key, Range& range) {
  if (figures.contains(key)) {
    const ReadJson& list = figures.at(key);
    range = {list.at(0).get<std::uint32_t>(), list.at(1).get<std::uint64_t>(),
             list.at(2).get<double>(), list.at(3).get<double>(), list.at(4).get<double>()};
  }
}

// Builds a JSON object from distinct keys. Does not search for an existing key, as operator[]
// would.
class Object {
 public:
  Object() { members_.reserve(kMembers); }
  template <typename Value>
  void add(std::string_view key, Value&& value) {
    static_cast<std::vector<Json::object_t::value_type>&>(members_).emplace_back(
        std::string(key), std::forward<Value>(value));
  }
  [[nodiscard]] Json take() { return std::move(members_); }

 private:
  static constexpr std::size_t kMembers = 48;
  Json::object_t members_;
};

void read_figures(RunResult& result, const ReadJson& figures, const ReadJson& effort) {
  for_each_figure(result, [&](std::string_view figure, auto& value) {
    read((is_effort(figure) ? effort : figures).at(std::string(figure)), value);
  });
  result.schedule = figures.value("schedule", "");
  result.unproved = figures.value("unproved", "");
  if (figures.contains("symmetry")) {
    result.symmetry = static_cast<Symmetry>(figures.at("symmetry").get<int>());
    result.classes = figures.value("classes", 1U);
  }
  result.ops_simulated = figures.value("ops_simulated", result.ops);
  result.smallest_block_bytes = figures.value("smallest_part_bytes", result.smallest_owned_bytes);
  result.largest_block_bytes = figures.value("largest_part_bytes", result.largest_owned_bytes);
  if (figures.contains("bound_s")) {
    read(figures.at("bound_s"), result.bound_s.emplace());
  }
  read_range(figures, "repeats", result.repeats);
  read_range(figures, "ties", result.ties);
  if (figures.contains("notes")) {
    figures.at("notes").get_to(result.described.facts.notes);
  }
  if (figures.contains("engines_differ_by")) {
    EngineComparison& comparison = result.comparison.emplace();
    comparison.tolerance = result.machine.spec.engine_tolerance;
    read(figures.at("engines_differ_by"), comparison.worst);
    read(figures.at("engines_differ_at"), comparison.op);
    read(figures.at("simgrid_total_s"), comparison.simgrid_total_s);
    read(effort.at("simgrid_wall_s"), comparison.simgrid_wall_s);
  }
}

}  // namespace

Json figures_json(const RunResult& result) {
  Object figures;
  for_each_figure(result, [&](std::string_view figure, const auto& value) {
    if (!is_effort(figure)) {
      figures.add(figure, to_json(value));
    }
  });
  if (!result.schedule.empty()) {
    figures.add("schedule", result.schedule);
  }
  if (!result.unproved.empty()) {
    figures.add("unproved", result.unproved);
  }
  if (result.symmetry) {
    figures.add("symmetry", static_cast<int>(*result.symmetry));
    figures.add("classes", result.classes);
  }
  if (result.ops_simulated != result.ops) {
    figures.add("ops_simulated", result.ops_simulated);
  }
  if (result.smallest_block_bytes != result.smallest_owned_bytes) {
    figures.add("smallest_part_bytes", result.smallest_block_bytes);
  }
  if (result.largest_block_bytes != result.largest_owned_bytes) {
    figures.add("largest_part_bytes", result.largest_block_bytes);
  }
  if (result.bound_s) {
    figures.add("bound_s", to_json(*result.bound_s));
  }
  if (result.repeats.runs > 0) {
    figures.add("repeats", range_json(result.repeats));
  }
  if (result.ties.runs > 0) {
    figures.add("ties", range_json(result.ties));
  }
  if (!result.described.facts.notes.empty()) {
    figures.add("notes", result.described.facts.notes);
  }
  if (const auto& comparison = result.comparison) {
    figures.add("engines_differ_by", to_json(comparison->worst));
    figures.add("engines_differ_at", comparison->op);
    figures.add("simgrid_total_s", to_json(comparison->simgrid_total_s));
  }
  return figures.take();
}

Json effort_json(const RunResult& result) {
  Object effort;
  for_each_figure(result, [&](std::string_view figure, const auto& value) {
    if (is_effort(figure)) {
      effort.add(figure, to_json(value));
    }
  });
  if (result.comparison) {
    effort.add("simgrid_wall_s", to_json(result.comparison->simgrid_wall_s));
  }
  return effort.take();
}

RunResult result_of(const Case& what, const ReadJson& figures, const ReadJson& effort) {
  RunResult result;
  result.algorithm = what.algorithm;
  result.file = program_of(*what.algorithm, what.problem);
  result.problem = what.problem;
  result.machine = *what.machine;
  result.described.facts.name = platform_name(*what.machine);
  try {
    read_figures(result, figures, effort);
  } catch (const nlohmann::json::exception& error) {  // such as a missing figure
    throw UserError(error.what());
  }
  if (what.machine->built_in()) {
    // The result may have been computed on a crossbar with more hosts.
    result.described.facts.hosts = what.machine->spec.source.crossbar.hosts;
  }
  price(result);
  return result;
}

std::string outcome_line(const Outcome& outcome) {
  TUTTI_INVARIANT(!outcome.open());
  Json json{{"schema", kOutcomeSchema}};
  if (const RunResult* result = outcome.result()) {
    json["status"] = "done";
    json["figures"] = figures_json(*result);
    json["effort"] = effort_json(*result);
  } else if (const Refusal* refusal = outcome.refusal()) {
    json["status"] = "refused";
    json["kind"] = name(refusal->kind);
    json["message"] = refusal->why.text;
    json["pattern"] = refusal->why.pattern;
  } else {
    json["status"] = "failed";
    json["message"] = outcome.why_not();
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Outcome outcome_of(const Case& what, const ReadJson& json) {
  try {
    const auto status = json.at("status").get<std::string>();
    if (status == "done") {
      return result_of(what, json.at("figures"), json.at("effort"));
    }
    auto message = json.at("message").get<std::string>();
    if (status == "refused") {
      return Refusal{refusal_kind_named(json.at("kind").get<std::string>()),
                     {std::move(message), json.at("pattern").get<std::string>()}};
    }
    return Failure{std::move(message)};
  } catch (const nlohmann::json::exception& error) {
    throw UserError(fmt::format("invalid outcome of a case: {}", error.what()));
  }
}

Outcome outcome_of_line(const Case& what, const std::string& line) {
  return outcome_of(what, ReadJson::parse(line, nullptr, false));
}

}}  // namespace tutti::simulation
