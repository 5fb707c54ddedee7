#include "src/mpi/sweep/rank_workers.hpp"

#include <fmt/format.h>

#include <cstring>
#include <sched.h>

#include "src/workers/sweep_channel.hpp"

namespace tutti::sweep {

namespace {

// Longer than a cell and its answer are under way.
constexpr double kAheadS = 0.04;

}  // namespace

Processors::Processors(std::size_t count) {
  cpu_set_t bound;
  if (sched_getaffinity(0, sizeof bound, &bound) != 0 ||
      static_cast<std::size_t>(CPU_COUNT(&bound)) >= count) {
    return;
  }
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  (void)sched_setaffinity(0, sizeof all, &all);  // what the job was not given stays out
}

RankWorkers::RankWorkers(const std::string& program, std::size_t workers, std::size_t others)
    : processors_(workers + others), pool_(program, workers, kAheadS) {}

void RankWorkers::take(std::string_view cell_line) {
  const ChannelLine cell = parse_channel_line(cell_line);
  announced_ -= announced_ > 0 ? 1 : 0;
  pool_.submit(cell.number, std::string(cell.rest));
}

std::string RankWorkers::say(int at_most_ms) {
  std::string lines;
  for (const WorkerEvent& event : pool_.wait(at_most_ms)) {
    lines += channel_line(event);
  }
  if (const std::size_t room = pool_.room(); room > announced_) {
    lines += fmt::format("room {}\n", room - announced_);
    announced_ = room;
  }
  return lines;
}

}  // namespace tutti::sweep
