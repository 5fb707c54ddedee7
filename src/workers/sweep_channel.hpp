// The line between tutti-sweep and the tutti that it has started to say which cells to run and to
// keep the results: a socket, lines of text.
//
//   to tutti-sweep    cell TICKET CELL       run it
//   from tutti-sweep  room N                 N more cells would be taken
//                     answer TICKET ANSWER
//                     died TICKET TEXT       the worker that had it
#pragma once

#include <optional>
#include <string_view>

#include "src/workers/cell_workers.hpp"
#include "src/workers/line_socket.hpp"

namespace tutti::inline workers {

// Names the file descriptor of the socket.
inline constexpr const char* kSweepChannelVariable = "TUTTI_SWEEP_CHANNEL";
// Nothing where tutti-sweep has not started this process.
[[nodiscard]] std::optional<int> sweep_channel();

// "answer 17 {...}" in parts: the word, the number, the rest.
struct ChannelLine {
  std::string_view word;
  std::uint64_t number = 0;
  std::string_view rest;
};
[[nodiscard]] ChannelLine parse_channel_line(std::string_view line);
[[nodiscard]] std::string channel_line(const WorkerEvent& event);

class SweepChannel final : public CellWorkers {
 public:
  // Takes the socket for its own, and ends this process when tutti-sweep's ends.
  explicit SweepChannel(int socket);

  [[nodiscard]] std::size_t room() const override { return room_; }
  void submit(CellTicket ticket, std::string line) override;
  [[nodiscard]] std::vector<WorkerEvent> wait(int at_most_ms) override;

 private:
  LineSocket socket_;
  std::size_t room_ = 0;
};

}  // namespace tutti::inline workers
