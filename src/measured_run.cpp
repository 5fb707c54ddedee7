#include "src/measured_run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>

#include "schedules/error.hpp"
#include "schedules/registry.hpp"

namespace tutti {

namespace {

using nlohmann::json;

Problem problem_from(const json& run, const Algorithm& algorithm) {
  Problem problem;
  problem.collective = algorithm.collective;
  problem.ranks = run.at("ranks").get<std::uint32_t>();
  problem.bytes = run.at("bytes").get<std::uint64_t>();
  problem.element_bytes = run.at("element_bytes").get<std::uint32_t>();
  const auto given = [&](const char* key) { return !run.at(key).is_null(); };
  if (given("root")) {
    problem.root = run.at("root").get<Rank>();
  }
  if (given("fold")) {
    problem.fold = run.at("fold") == "far" ? Fold::far : Fold::neighbours;
  }
  if (given("skips")) {
    problem.skips = run.at("skips").get<std::string>();
  }
  if (given("tree")) {
    problem.tree = run.at("tree").get<std::string>();
  }
  if (given("segment_bytes")) {
    problem.segment_bytes = run.at("segment_bytes").get<std::uint64_t>();
  }
  if (given("cores_per_node")) {
    problem.ranks_per_node = run.at("cores_per_node").get<std::uint32_t>();
  }
  problem.block_bytes = run.at("block_bytes").get<std::vector<std::uint64_t>>();
  check(algorithm, problem);
  return problem;
}

MeasuredRun run_from(const json& run) {
  MeasuredRun measured;
  measured.algorithm = &algorithm_named(fmt::format(
      "{}/{}", run.at("collective").get<std::string>(), run.at("algorithm").get<std::string>()));
  measured.problem = problem_from(run, *measured.algorithm);
  measured.type = run.at("type").get<std::string>();
  measured.op = run.at("op").is_null() ? "" : run.at("op").get<std::string>();
  measured.oversubscribed = run.at("oversubscribed").get<bool>();
  measured.median_s = run.at("median_s").get<double>();
  measured.low_s = run.at("median_low_s").get<double>();
  measured.high_s = run.at("median_high_s").get<double>();
  measured.fastest_s = run.at("fastest_s").get<double>();
  if (!(measured.median_s > 0)) {
    throw UserError(fmt::format("{}: median_s is {}, and a time is more than 0",
                                measured.algorithm->full_name(), measured.median_s));
  }
  if (run.contains("timeline")) {
    const json& timeline = run.at("timeline");
    measured.timeline.emplace();
    measured.timeline->start_s = timeline.at("start_s").get<std::vector<double>>();
    measured.timeline->end_s = timeline.at("end_s").get<std::vector<double>>();
    measured.timeline->receive_start_s = timeline.at("receive_start_s").get<std::vector<double>>();
    measured.timeline->receive_end_s = timeline.at("receive_end_s").get<std::vector<double>>();
    measured.timeline->total_s = timeline.at("total_s").get<double>();
  }
  return measured;
}

MeasuredRuns runs_from(const json& all) {
  MeasuredRuns runs;
  for (const json& run : all.is_array() ? all : json::array({all})) {
    if (!run.is_object() || run.value("schema", "") != "tutti-run/1") {
      throw UserError("its schema is not tutti-run/1; 'tutti-mpi run --json' writes such files");
    }
    if (run.contains("refused")) {
      ++runs.refused;
    } else {
      runs.runs.push_back(run_from(run));
    }
  }
  if (runs.runs.empty()) {
    throw UserError("there is no run in it");
  }
  return runs;
}

}  // namespace

MeasuredRuns read_measured_runs(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw UserError(fmt::format("'{}': cannot be read", path));
  }
  try {
    return runs_from(json::parse(file));
  } catch (const json::exception& error) {
    throw UserError(fmt::format("'{}': {}", path, error.what()));
  } catch (const UserError& error) {
    throw UserError(fmt::format("'{}': {}", path, error.what()));
  }
}

}  // namespace tutti
