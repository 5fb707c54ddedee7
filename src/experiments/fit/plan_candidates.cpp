#include "src/experiments/fit/plan_candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/fit/plan.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/formats/call_size.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/mpich/names.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::array kPlanned{
    Collective::allreduce, Collective::bcast,  Collective::allgather, Collective::reduce_scatter,
    Collective::alltoall,  Collective::reduce, Collective::gather,    Collective::scatter};
constexpr std::uint64_t kSmallest = 8;
constexpr std::uint64_t kLargest = std::uint64_t{64} << 20U;
constexpr std::uint64_t kFactor = 8;

// Returns the algorithm as the column `tutti` of a file of points names it.
std::string name_in_points(const LibraryAlgorithm& row) {
  return row.options.empty() ? row.ours : row.ours + ' ' + row.options;
}

// Returns the algorithms that the library runs if only their name or number is set.
std::vector<const LibraryAlgorithm*> forced_algorithms(const LibraryRelease& library,
                                                       Collective collective) {
  const RuleFormat format = form_written_for(library);
  std::vector<const LibraryAlgorithm*> rows;
  for (const LibraryAlgorithm& row : library_algorithms(format)) {
    const bool is_new = std::ranges::none_of(rows, [&row](const LibraryAlgorithm* other) {
      return name_in_points(*other) == name_in_points(row);
    });
    if (row.collective == collective && !row.ours.empty() && row.exported && !row.fan_is_radix &&
        row.in_release(library.release) && has_algorithm(format, row, library.release) && is_new) {
      rows.push_back(&row);
    }
  }
  return rows;
}

bool is_open_mpi(const LibraryRelease& library) { return library.line->family == "Open MPI"; }

bool has_few_ops(const Algorithm& algorithm, const Problem& problem) {
  try {
    return make_schedule(algorithm, problem, Detail::times_only).size() <= kMostCandidateOps;
  } catch (const ScheduleTooLarge&) {
    return false;
  }
}

void add_points(const LibraryAlgorithm& row, std::uint32_t ranks, std::uint32_t nodes,
                std::vector<BenchmarkPoint>& points) {
  if (row.powers_of_two_only && (ranks & (ranks - 1)) != 0) {
    return;
  }
  const std::uint64_t parts = benchmarks_count_blocks(row.collective) ? ranks : 1;
  for (std::uint64_t size = kSmallest; size <= kLargest / parts; size *= kFactor) {
    BenchmarkPoint point;
    point.file = "candidates";
    point.line = points.size() + 1;
    point.collective = row.collective;
    point.ranks = ranks;
    point.nodes = nodes;
    point.bytes = size * parts;
    point.element_bytes = reduces(row.collective) ? 4 : 1;
    take_algorithm(point, "tutti", name_in_points(row));
    complete_point(point, {});
    try {
      check(*point.algorithm, problem_of(point, std::nullopt));
    } catch (const UserError&) {
      continue;
    }
    points.push_back(std::move(point));
  }
}

}  // namespace

std::optional<LibraryRelease> forced_library(const std::string& library) {
  const LibraryVersion* const version = find_library_version(library);
  // Selection in MPICH 5.1 differs.
  if (version == nullptr || (version->family != "Open MPI" &&
                             (version->family != "MPICH" || version->release >= kNamedTrees))) {
    return std::nullopt;
  }
  return library_release_named("$parameters: library", library);
}

std::vector<BenchmarkPoint> candidate_points(const LibraryRelease& library, std::uint32_t ranks,
                                             std::uint32_t ranks_per_host) {
  const std::uint32_t nodes = (ranks + ranks_per_host - 1) / ranks_per_host;
  std::vector<BenchmarkPoint> points;
  for (const Collective collective : kPlanned) {
    for (const LibraryAlgorithm* row : forced_algorithms(library, collective)) {
      if (nodes > 1) {
        add_points(*row, nodes, nodes, points);
      }
      if (ranks_per_host > 1) {
        add_points(*row, ranks, nodes, points);
      }
    }
  }
  return points;
}

std::size_t leave_out_large(std::span<const BenchmarkPoint> points,
                            std::vector<std::size_t>& places) {
  const BenchmarkPoint* large = nullptr;  // the last point that was left out
  return std::erase_if(places, [&](std::size_t place) {
    const BenchmarkPoint& point = points[place];
    // A larger size never has fewer operations.
    const bool is_larger = large != nullptr && large->algorithm == point.algorithm &&
                           large->ranks == point.ranks && large->nodes == point.nodes &&
                           large->bytes <= point.bytes;
    if (!is_larger && has_few_ops(*point.algorithm, problem_of(point, std::nullopt))) {
      return false;
    }
    large = &point;
    return true;
  });
}

std::string ForcedRun::command() const {
  if (!open_mpi) {
    return fmt::format("{} mpiexec -n {} -ppn {} {}", environment(), ranks, ranks_per_host,
                       benchmark);
  }
  std::string command = fmt::format("mpirun -np {} --map-by ppr:{}:node", ranks, ranks_per_host);
  for (const auto& [name, value] : settings) {
    command += fmt::format(" --mca {} {}", name, value);
  }
  return command + ' ' + benchmark;
}

std::string ForcedRun::environment() const {
  std::string text;
  for (const auto& [name, value] : settings) {
    text +=
        fmt::format("{}{}{}={}", text.empty() ? "" : " ", open_mpi ? "OMPI_MCA_" : "", name, value);
  }
  return text;
}

std::optional<ForcedRun> forced_run(const LibraryRelease& library, const BenchmarkPoint& point,
                                    std::uint32_t ranks_per_host) {
  const auto rows = forced_algorithms(library, point.collective);
  std::string name_with_options(point.algorithm->name);
  for (const std::string& option : point.algorithm_options) {
    name_with_options += ' ' + option;
  }
  const auto row = std::ranges::find(
      rows, name_with_options, [](const LibraryAlgorithm* each) { return name_in_points(*each); });
  if (row == rows.end()) {
    return std::nullopt;
  }
  const std::string collective(name(point.collective));
  ForcedRun run;
  run.open_mpi = is_open_mpi(library);
  run.benchmark = fmt::format("osu_{0} -f -m {1}:{1}", collective, benchmark_size(point));
  run.ranks = point.ranks;
  run.ranks_per_host = ranks_per_host;
  if (run.open_mpi) {
    // coll/hcoll and, from 5.0 on, coll/han would otherwise run instead of coll/tuned.
    run.settings = {
        {"coll_hcoll_enable", "0"},
        {"coll_han_priority", "0"},
        {"coll_tuned_use_dynamic_rules", "true"},
        {fmt::format("coll_tuned_{}_algorithm", collective), fmt::format("{}", (*row)->id)}};
    return run;
  }
  const std::string prefix = fmt::format("MPIR_{}_intra_", mpich_name(collective));
  run.settings = {{"MPIR_CVAR_DEVICE_COLLECTIVES", "none"},
                  {fmt::format("MPIR_CVAR_{}_INTRA_ALGORITHM", upper_case(collective)),
                   (*row)->name.substr(prefix.size())}};
  return run;
}

}}  // namespace tutti::experiments
