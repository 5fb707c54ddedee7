#include "src/workers/sweep_channel.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>

#include "base/error.hpp"

namespace tutti::inline workers {

namespace {

[[noreturn]] void lost() {
  throw UserError(
      "tutti-sweep has ended before the sweep has; the same command goes on where this one "
      "stopped");
}

}  // namespace

std::optional<int> sweep_channel() {
  const char* text = std::getenv(kSweepChannelVariable);
  return text != nullptr ? std::optional(std::atoi(text)) : std::nullopt;
}

ChannelLine parse_channel_line(std::string_view line) {
  ChannelLine parsed;
  const std::size_t space = std::min(line.find(' '), line.size());
  parsed.word = line.substr(0, space);
  line.remove_prefix(std::min(space + 1, line.size()));
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), parsed.number);
  TUTTI_INVARIANT(error == std::errc());
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  if (!line.empty()) {
    line.remove_prefix(1);
  }
  parsed.rest = line;
  return parsed;
}

std::string channel_line(const WorkerEvent& event) {
  return fmt::format("{} {} {}\n", event.died ? "died" : "answer", event.ticket, event.text);
}

SweepChannel::SweepChannel(int socket) : socket_(socket) { prctl(PR_SET_PDEATHSIG, SIGTERM); }

void SweepChannel::submit(CellTicket ticket, std::string line) {
  socket_.add_line(fmt::format("cell {} {}", ticket, line));
  --room_;
}

std::vector<WorkerEvent> SweepChannel::wait(int at_most_ms) {
  std::vector<WorkerEvent> events;
  const bool sent = socket_.send();  // all cells submitted since the last time, at once
  const bool alive = socket_.wait(at_most_ms) && sent;
  for (auto line = socket_.next_line(); line; line = socket_.next_line()) {
    const ChannelLine parsed = parse_channel_line(*line);
    if (parsed.word == "room") {
      room_ += parsed.number;
    } else {
      events.push_back({parsed.number, parsed.word == "died", std::string(parsed.rest)});
    }
  }
  if (!alive && events.empty()) {
    lost();
  }
  return events;
}

}  // namespace tutti::inline workers
