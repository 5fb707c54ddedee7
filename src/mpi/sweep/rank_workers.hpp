// The workers of one rank of tutti-sweep: takes lines that say which cells to run, and has lines to
// say what became of them and for how many more there is room (src/workers/sweep_channel.hpp).
#pragma once

#include <string>
#include <string_view>

#include "src/workers/worker_pool.hpp"

namespace tutti::sweep {

// MPI libraries bind a rank to one processor, which its workers would then share: where it has
// fewer than `count`, it may use all that the job has here.
struct Processors {
  explicit Processors(std::size_t count);
};

class RankWorkers {
 public:
  // `program` is tutti. `others` are processes beside the workers that are to run at the same time.
  // Throws UserError when tutti cannot be started.
  RankWorkers(const std::string& program, std::size_t workers, std::size_t others);

  void take(std::string_view cell_line);
  // Waits at most so long for something to say. Throws UserError when workers can no longer be
  // started.
  [[nodiscard]] std::string say(int at_most_ms);
  // What say() waits for.
  void add_to(std::vector<pollfd>& awaited) const { pool_.add_to(awaited); }

 private:
  Processors processors_;  // before the workers, which inherit them
  WorkerPool pool_;
  std::size_t announced_ = 0;  // room for cells that were not sent yet
};

}  // namespace tutti::sweep
