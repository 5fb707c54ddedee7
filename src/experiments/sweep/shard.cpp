#include "src/experiments/sweep/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/error.hpp"
#include "base/quantities.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr std::uint32_t kMostShards = 1'000'000;

std::optional<std::uint32_t> variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr || *text == '\0' ? std::nullopt
                                          : std::optional(parse_count(name, text, kMostShards));
}

// Returns the shard for this task of a Slurm array; the whole sweep if there is no array. With
// --array=3-9:2, the tasks are numbered 3, 5, 7, 9.
Shard array_task() {
  const auto task = variable("SLURM_ARRAY_TASK_ID");
  const auto count = variable("SLURM_ARRAY_TASK_COUNT");
  const std::uint32_t first = variable("SLURM_ARRAY_TASK_MIN").value_or(0);
  const std::uint32_t step = variable("SLURM_ARRAY_TASK_STEP").value_or(1);
  if (!task || !count || *task < first || step == 0 || (*task - first) / step >= *count) {
    return {};
  }
  return {(*task - first) / step + 1, *count};
}

// Returns the shard for this process of a parallel job; the whole sweep if there is no such job.
// Under Slurm, only srun sets the number of tasks in the step.
Shard job_process() {
  struct Names {
    const char* rank;
    const char* size;
  };
  constexpr Names kNames[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                              {"PMI_RANK", "PMI_SIZE"},
                              {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const Names& names : kNames) {
    const auto rank = variable(names.rank);
    const auto size = variable(names.size);
    if (rank && size && *rank < *size) {
      return {*rank + 1, *size};
    }
  }
  return {};
}

Shard shard_of_environment(std::string_view from) {
  const Shard task = array_task();
  const Shard process = job_process();
  if (task.is_all() && process.is_all()) {
    throw UserError(fmt::format(
        "{} 'auto': not in a Slurm array, and not started by srun or mpirun; write K/N, such as "
        "1/8",
        from));
  }
  return {(task.number - 1) * process.of + process.number, task.of * process.of};
}

}  // namespace

std::string Shard::text() const { return fmt::format("{}/{}", number, of); }

Shard parse_shard(std::string_view from, const std::string& text) {
  if (text == "auto") {
    return shard_of_environment(from);
  }
  const std::size_t slash = text.find('/');
  if (slash == text.npos) {
    throw UserError(fmt::format("{} '{}': write K/N, such as 1/8, or auto", from, text));
  }
  const Shard shard{parse_count(from, text.substr(0, slash), kMostShards),
                    parse_count(from, text.substr(slash + 1), kMostShards)};
  if (shard.number == 0 || shard.number > shard.of) {
    const std::uint32_t of = std::max(shard.of, 1U);
    throw UserError(fmt::format("{} '{}': must be from 1/{} to {}/{}", from, text, of, of, of));
  }
  return shard;
}

}}  // namespace tutti::experiments
