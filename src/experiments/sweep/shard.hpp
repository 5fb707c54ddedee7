// A shard is the part of a sweep that one of several independent processes runs. Each process keeps
// its results in its own database, and `tutti query --into` joins the databases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tutti { inline namespace experiments {

struct Shard {
  std::uint32_t number = 1;  // from 1 to `of`
  std::uint32_t of = 1;

  // Cells are dealt out over the shards in turns. True if this shard gets the cell with this turn,
  // from 0 on.
  [[nodiscard]] bool has(std::size_t turn) const { return turn % of == number - 1; }
  [[nodiscard]] bool is_all() const { return of == 1; }
  [[nodiscard]] std::string text() const;  // "3/8"
};

// Parses `text`, the value of --shard. For "auto", takes the shard from the environment. Each task
// of a Slurm array is a shard; if Open MPI, MPICH or srun runs several processes in a task (or
// without an array), each process is a shard. Throws UserError for invalid text, and for "auto" in
// an environment without tasks or processes.
[[nodiscard]] Shard parse_shard(std::string_view from, const std::string& text);

// Thrown once a shard has run its cells, because the rest of the command needs the cells of the
// other shards. Not a std::exception, so that no handler mistakes it for a failed run.
struct ShardEnd {
  int exit_code = 0;
  std::string text;
};

}}  // namespace tutti::experiments
