#include "src/commands/point_options.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "cost_models/nccl/machine.hpp"
#include "cost_models/nccl/model.hpp"
#include "src/commands/shared_options.hpp"
#include "src/experiments/points/measured_source.hpp"
#include "src/formats/json_schema.hpp"

namespace tutti { inline namespace commands {

namespace {

constexpr std::uint32_t kMostElementBytes = 1U << 20U;

void add_cells(const nlohmann::json& list, std::set<std::string, std::less<>>& cells) {
  for (const nlohmann::json& each : list) {
    if (!each.is_string()) {
      throw UserError("a cell is not a string; expected a list of cell names");
    }
    cells.insert(each.get<std::string>());
  }
}

// Adds to `cells` the names of the cells that a JSON file lists. `json`, the content of the file,
// is a list of names, or an object whose member "cells" is such a list. Other members of this
// object may be objects that have a member "cells" too, as in calibration files.
void add_cells_of_file(const nlohmann::json& json, std::set<std::string, std::less<>>& cells) {
  const std::size_t before = cells.size();
  if (json.is_array()) {
    add_cells(json, cells);
  } else if (json.is_object()) {
    if (json.contains("cells") && json.at("cells").is_array()) {
      add_cells(json.at("cells"), cells);
    }
    for (const auto& [key, each] : json.items()) {
      if (each.is_object() && each.contains("cells") && each.at("cells").is_array()) {
        add_cells(each.at("cells"), cells);
      }
    }
  }
  if (cells.size() == before) {
    throw UserError(
        "no cells found; expected a list of cell names, or objects with such a list under "
        "\"cells\"");
  }
}

// Returns a command that gives the times of NCCL's own model, as the end of a message, if the
// outputs name a GPU for which there is one; else "".
std::string nccl_model_hint(const std::vector<BenchmarkPoint>& points) {
  for (const BenchmarkPoint& point : points) {
    std::string word;
    for (const char each : lower_case(point.device) + ' ') {
      if (std::isalnum(static_cast<unsigned char>(each)) != 0) {
        word += each;
        continue;
      }
      const std::string part = std::exchange(word, "");
      if (nccl_gpu_named(part) != nullptr &&
          std::ranges::find(nccl_collectives(), point.collective) != nccl_collectives().end()) {
        return fmt::format(
            "; for the times of NCCL's own model on the GPU that the output names: tutti nccl {} "
            "-p {} -n {} --gpu {}",
            name(point.collective), point.ranks, point.bytes, part);
      }
    }
  }
  return "";
}

}  // namespace

void PointOptions::add_to(Command& app, const std::string& without_files) {
  const OptionGroup which(app, "Which points");
  CommandOption& measured = app.add_option(
      "points", files,
      "Measured times: comma-separated values with columns collective, ranks, bytes, tutti (the "
      "algorithm) and median_us, or the output of 'tutti-mpi run --json', an OSU "
      "micro-benchmark, the Intel MPI Benchmarks, nccl-tests or PICO; or a folder of such files" +
          without_files);
  measured.type_name("FILE");
  if (without_files.empty()) {
    measured.required();
  }
  which
      .add("--algorithm", algorithms, "NAME",
           "Algorithm that the benchmark ran, such as allreduce/ring or 'bcast/pipeline --segment "
           "64K'; with several benchmark files, one for each")
      .one_at_a_time();
  which.add("-p,--ranks", ranks, "COUNT",
            "Number of ranks of the benchmark [nccl-tests: from the file; Intel MPI Benchmarks: "
            "all in the file]",
            AsPositiveCount<kMostRanks>());
  which.add("--elem-bytes", element_bytes, "BYTES",
            "Bytes of an element [from the file, otherwise 4]",
            AsPositiveCount<kMostElementBytes>());
  which.add("--only", only, "TEXT", "Use only cells whose name contains this text").usual();
  which
      .add("--largest", largest_ranks, "RANKS", "Use only cells with at most this number of ranks",
           AsCount())
      .usual();
  which.add("--without", without, "CELLS", "Cells to leave out, by name")
      .delimiter(',')
      .one_at_a_time();
  which.add("--leave-out", leave_out, "FILE",
            "JSON file with cells to leave out: a list of their names, or a calibration file, to "
            "leave out the cells that it was made from");
  machine.add_to(app, true);
  OptionGroup(app, "Machine")
      .add("--ranks-per-host", ranks_per_host, "COUNT",
           "Ranks on each host [from the points, otherwise 1]", AsPositiveCount())
      .usual();
  add_jobs(app, jobs);
}

std::vector<BenchmarkPoint> PointOptions::read_points_of(std::vector<std::string>& paths,
                                                         std::vector<std::string>& notes) const {
  PointDefaults defaults;
  defaults.algorithms = algorithms;
  if (ranks) {
    defaults.ranks = ranks->value;
  }
  defaults.element_bytes = element_bytes;
  std::vector<std::string> expanded;
  for (const std::string& path : paths) {
    std::ranges::move(files_of_runs(path, notes), std::back_inserter(expanded));
  }
  paths = std::move(expanded);
  std::vector<BenchmarkPoint> points = read_points(paths, defaults, notes);
  if (std::ranges::none_of(
          points, [](const BenchmarkPoint& point) { return point.algorithm != nullptr; })) {
    throw UserError(fmt::format(
        "'{}': no points found; if there is a column \"role\", only rows in which it is "
        "\"counts\" are used",
        printable(paths.front())));
  }
  return points;
}

void PointOptions::check_machine(const std::vector<BenchmarkPoint>& points) const {
  if (machine.platform || (machine.alpha_s && machine.beta_s_per_byte)) {
    return;
  }
  throw UserError(
      "$platform is missing: name the machine on which the times were measured: a SimGrid file "
      "('tutti platform' writes one), or crossbar:HOSTS,bw=RATE,lat=TIME" +
      nccl_model_hint(points));
}

ScoreSelection PointOptions::selection(const std::vector<BenchmarkPoint>& points) const {
  ScoreSelection selection;
  selection.only = only;
  if (largest_ranks) {
    selection.largest_ranks = *largest_ranks;
  }
  for (const std::string& cell : without) {
    if (std::ranges::none_of(points,
                             [&cell](const BenchmarkPoint& point) { return point.cell == cell; })) {
      std::set<std::string> names;
      for (const BenchmarkPoint& point : points) {
        names.insert(point.cell);
      }
      throw UserError(
          fmt::format("$without '{}': no points are in that cell; cells are named like '{}'{}",
                      printable(cell), printable(*names.begin()),
                      did_you_mean(cell, std::vector<std::string>(names.begin(), names.end()))));
    }
    selection.without.insert(cell);
  }
  if (leave_out) {
    read_json_file("$leave_out ", *leave_out, kParametersFile, [&](const std::string& text) {
      add_cells_of_file(parse_json(text), selection.without);
    });
  }
  return selection;
}

}}  // namespace tutti::commands
