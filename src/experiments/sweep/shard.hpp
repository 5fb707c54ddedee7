// A part of a sweep, for one of several processes that know nothing of each other: each runs its own
// cells and keeps them in a database of its own, and `tutti query --into` joins these.
#pragma once

#include <cstdint>
#include <string>

#include "src/requests/command_line.hpp"
#include "src/requests/problem_options.hpp"

namespace tutti::inline experiments {

struct Shard {
  std::uint32_t number = 1;  // from 1 to `of`
  std::uint32_t of = 1;

  // `hash`: of what one cell is, the same in each process.
  [[nodiscard]] bool has(std::uint64_t hash) const { return hash % of == number - 1; }
  [[nodiscard]] bool is_all() const { return of == 1; }
  [[nodiscard]] std::string text() const;  // "3/8"
};

// The whole where no shard is given. "auto" takes the number from the environment: that of the task
// in a Slurm array, and within it that of the process under Open MPI, MPICH or srun. Throws
// UserError.
[[nodiscard]] Shard parse_shard(const OptionText& text);

void add_shard_option(Command& app, OptionText& shard, const char* group);

// Thrown once a shard has run its cells: the rest of the command needs those of the others. No
// std::exception, so that nobody takes it for the failure of a run.
struct ShardDone {
  int exit_code = 0;
  std::string text;
};

}  // namespace tutti::inline experiments
