#include "src/commands/shared_options.hpp"

#include <fmt/format.h>

namespace tutti { inline namespace commands {

void add_json_option(Command& command, JsonPath& json, const char* what) {
  OptionGroup(command, "Output")
      .add("--json", json, kWrittenFile,
           fmt::format("Write {} as JSON; - is standard output", what))
      .usual();
}

void add_sweep_options(Command& command, SweepOptions& sweep, Streams streams) {
  sweep.cells = streams.cells;
  sweep.can_start_workers = streams.can_start_workers;
  const OptionGroup group(command, "Sweep");
  group
      .add("--db", sweep.database, kResultsFile,
           "Store each result at once in this SQLite database, and run only cells that are not in "
           "the database yet; 'tutti query' reads it")
      .usual();
  add_shard_option(group, sweep.shard);
  group.flag("--retry-failed", sweep.retry_failed,
             "Rerun the cells that the database marks as failed because their process died");
}

void add_shard_option(const OptionGroup& group, std::optional<Shard>& shard) {
  group.add("--shard", shard, "K/N",
            "Run only part K of N parts, independently of the other parts; auto takes K and N from "
            "a Slurm array, srun or mpirun",
            parse_shard);
}

}}  // namespace tutti::commands
