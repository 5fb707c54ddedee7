#include "src/experiments/points/measured_run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <initializer_list>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "schedules/registry.hpp"
#include "src/formats/json_schema.hpp"
#include "src/formats/option_json.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the problem of a run. The schema has already checked that all numbers fit their types.
Problem problem_from(const nlohmann::json& run, const Algorithm& algorithm) {
  Problem problem;
  problem.collective = algorithm.collective;
  const auto take = [&run](const char* key, auto& into) {
    if (!run.at(key).is_null()) {
      run.at(key).get_to(into);
    }
  };
  take("ranks", problem.ranks);
  take("bytes", problem.bytes);
  take("element_bytes", problem.element_bytes);
  take("root", problem.root);
  read_options(run, problem);
  check(algorithm, problem);
  return problem;
}

// Throws UserError if the time at one of `keys` is shorter than the time at the key before it. A
// JSON schema cannot express this condition.
void check_order(const nlohmann::json& run, std::initializer_list<const char*> keys) {
  for (auto key = keys.begin() + 1; key != keys.end(); ++key) {
    const auto before = run.at(*(key - 1)).get<double>();
    const auto value = run.at(*key).get<double>();
    if (value < before) {
      throw UserError(fmt::format("{} is {}, below {}, which is {}; expected {} <= {}", *key, value,
                                  *(key - 1), before, *(key - 1), *key));
    }
  }
}

// Throws UserError unless every list of the timeline has one time per operation. The two lists of
// receivers' times may both be empty.
void check_lengths(const nlohmann::json& timeline) {
  const std::size_t ops = timeline.at("start_s").size();
  const std::size_t received = timeline.at("receive_start_s").size();
  for (const auto& [key, wanted] :
       {std::pair{"end_s", ops}, std::pair{"receive_start_s", received == 0 ? 0 : ops},
        std::pair{"receive_end_s", received == 0 ? 0 : ops}}) {
    if (timeline.at(key).size() != wanted) {
      throw UserError(fmt::format("timeline/{} has {} items; expected {}, as in start_s", key,
                                  timeline.at(key).size(), wanted));
    }
  }
}

MeasuredRun run_from(const nlohmann::json& run) {
  MeasuredRun measured;
  measured.algorithm = &algorithm_named(fmt::format(
      "{}/{}", run.at("collective").get<std::string>(), run.at("algorithm").get<std::string>()));
  measured.problem = problem_from(run, *measured.algorithm);
  measured.type = run.at("type").get<std::string>();
  measured.op = run.at("op").is_null() ? "" : run.at("op").get<std::string>();
  measured.nodes = run.at("nodes").get<std::uint32_t>();
  measured.oversubscribed = run.at("oversubscribed").get<bool>();
  measured.median_s = run.at("median_s").get<double>();
  measured.low_s = run.at("median_low_s").get<double>();
  measured.high_s = run.at("median_high_s").get<double>();
  measured.fastest_s = run.at("fastest_s").get<double>();
  check_order(run, {"fastest_s", "median_s"});
  check_order(run, {"median_low_s", "median_s", "median_high_s"});
  if (run.contains("timeline")) {
    const nlohmann::json& timeline = run.at("timeline");
    measured.timeline.emplace();
    measured.timeline->start_s = timeline.at("start_s").get<std::vector<double>>();
    measured.timeline->end_s = timeline.at("end_s").get<std::vector<double>>();
    measured.timeline->receive_start_s = timeline.at("receive_start_s").get<std::vector<double>>();
    measured.timeline->receive_end_s = timeline.at("receive_end_s").get<std::vector<double>>();
    measured.timeline->total_s = timeline.at("total_s").get<double>();
    check_lengths(timeline);
  }
  return measured;
}

MeasuredRuns runs_from(const nlohmann::json& all) {
  const bool several = all.is_array();
  for (const nlohmann::json& run : several ? all : nlohmann::json::array({all})) {
    if (!run.is_object() || !run.contains("schema") || !run.at("schema").is_string() ||
        run.at("schema").get<std::string>() != "tutti-run/1") {
      throw UserError(fmt::format("its schema is not tutti-run/1; give a file that {} wrote",
                                  shell_command("tutti-mpi run $json")));
    }
  }
  check_against_schema(all, "tutti-run-1");
  MeasuredRuns runs;
  std::size_t index = 0;
  for (const nlohmann::json& run : several ? all : nlohmann::json::array({all})) {
    const std::size_t at = index++;
    if (run.contains("refused")) {
      ++runs.refused;
      continue;
    }
    try {
      MeasuredRun measured = run_from(run);
      if (run.value("too_busy", false)) {
        runs.too_busy.push_back(fmt::format("{}, {}, {} bytes", measured.algorithm->full_name(),
                                            counted(measured.problem.ranks, "rank"),
                                            measured.problem.bytes));
      } else {
        runs.runs.push_back(std::move(measured));
      }
    } catch (const UserError& error) {
      throw UserError(several ? fmt::format("/{}: {}", at, error.what()) : error.what());
    }
  }
  if (runs.runs.empty() && !runs.too_busy.empty()) {
    throw UserError(
        "every run is marked too_busy, because other load on the machine made the times "
        "unreliable; run 'tutti-mpi run' on a quieter machine, or with a longer $budget");
  }
  if (runs.runs.empty()) {
    throw UserError("the file has no usable runs");
  }
  return runs;
}

}  // namespace

bool is_of_runs(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[') &&
         text.find("tutti-run/") != std::string_view::npos;
}

MeasuredRuns parse_measured_runs(std::string_view text) { return runs_from(parse_json(text)); }

MeasuredRuns measured_runs_in(std::string_view text, const std::string& path) {
  try {
    return parse_measured_runs(text);
  } catch (const UserError& error) {
    throw UserError(fmt::format("'{}': {}", path, error.what()));
  }
}

}}  // namespace tutti::experiments
