#include "tutti/command.hpp"

#include <deque>
#include <exception>
#include <optional>
#include <sstream>
#include <utility>

#include "base/file_use.hpp"
#include "base/messages.hpp"
#include "base/work_ticker.hpp"
#include "src/commands/cli.hpp"
#include "src/experiments/sweep/cell.hpp"
#include "src/experiments/sweep/cell_engine.hpp"
#include "src/public_api/inside.hpp"
#include "src/requests/written_schedules.hpp"
#include "src/simulation/outcome_json.hpp"
#include "src/workers/cell_pool.hpp"

namespace tutti::v1 {

namespace {

// Hands the cells of a sweep to the user's executor. An exception of the executor ends the command;
// run_command() throws it again.
class ExecutorCells final : public CellPool {
 public:
  explicit ExecutorCells(CellExecutor& executor) : executor_(executor) {}

  void expect(std::size_t cells) override {
    ask([&] { executor_.expect(cells); });
  }
  [[nodiscard]] std::size_t room() const override {
    return ask([&] { return executor_.room(); });
  }
  void submit(CellTicket ticket, std::string line) override {
    ask([&] { executor_.submit(ticket, std::move(line)); });
  }
  [[nodiscard]] std::vector<WorkerEvent> wait(int at_most_ms) override {
    std::vector<WorkerEvent> events;
    for (CellEvent& event : ask([&] { return executor_.wait(1e-3 * at_most_ms); })) {
      events.push_back({event.ticket, event.lost, std::move(event.text)});
    }
    stop_if_requested();
    return events;
  }

  void rethrow_failure() const {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  template <typename Question>
  auto ask(Question&& question) const -> decltype(question()) {
    try {
      return question();
    } catch (...) {
      failure_ = std::current_exception();
      throw Cancellation();
    }
  }

  CellExecutor& executor_;
  mutable std::exception_ptr failure_;
};

// Asks a source of the user. An exception of the source ends the command; run_command() throws it
// again.
class UserSource final : public tutti::ScheduleSource {
 public:
  explicit UserSource(v1::ScheduleSource& source) : source_(source), name_(source.name()) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string file(std::uint32_t ranks, std::uint64_t bytes) override {
    try {
      return source_.schedule_file(ranks, bytes);
    } catch (...) {
      failure_ = std::current_exception();
      throw Cancellation();
    }
  }

  void rethrow_failure() const {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  v1::ScheduleSource& source_;
  std::string name_;
  std::exception_ptr failure_;
};

// When a command ends, forgets which files it has read and written, because the caller may read
// them next.
class FilesOfCommand {
 public:
  FilesOfCommand() = default;
  FilesOfCommand(const FilesOfCommand&) = delete;
  FilesOfCommand& operator=(const FilesOfCommand&) = delete;
  ~FilesOfCommand() { forget_files(); }
};

}  // namespace

CommandOutput run_command(const std::vector<std::string>& arguments,
                          const CommandSettings& settings) {
  const auto names = static_cast<tutti::FieldNames>(settings.names);
  std::optional<ExecutorCells> cells;
  if (settings.executor != nullptr) {
    cells.emplace(*settings.executor);
  }
  std::deque<UserSource> held_sources;
  std::vector<tutti::ScheduleSource*> contenders;
  for (ScheduleSource* const source : settings.sources) {
    contenders.push_back(&held_sources.emplace_back(*source));
  }
  std::ostringstream out;
  KeptMessages messages;
  CommandOutput output;
  try {
    output.exit_code = guarded([&] {
      const OneCommand alone;
      const FilesOfCommand files;
      return run(arguments, {.out = out,
                             .messages = messages,
                             .cells = cells ? &*cells : nullptr,
                             .can_start_workers = false,
                             .sources = contenders,
                             .temporary_files = settings.temporary_files});
    });
  } catch (const Interrupted&) {
    if (cells) {
      cells->rethrow_failure();
    }
    for (const UserSource& source : held_sources) {
      source.rethrow_failure();
    }
    throw;
  }
  output.out = std::move(out).str();
  for (const tutti::Message& each : messages.all()) {
    output.messages.push_back(
        {static_cast<Message::Kind>(each.kind), line_of(each, names), each.details});
  }
  return output;
}

std::string run_cell(const std::string& cell) {
  return guarded([&] {
    // One of each for each thread, because they keep the previous cell's platform and schedule.
    thread_local CellReader reader;
    thread_local CellEngine engine;
    Outcome outcome;
    try {
      outcome = engine.run(reader.read(cell));
    } catch (const UserError& error) {
      outcome = Failure{error.what()};
    }
    return outcome_line(outcome);
  });
}

}  // namespace tutti::v1
