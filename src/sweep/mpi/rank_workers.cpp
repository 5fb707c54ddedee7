#include "src/sweep/mpi/rank_workers.hpp"

#include <fmt/format.h>

#include "src/sweep/sweep_channel.hpp"

namespace tutti::sweep {

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
