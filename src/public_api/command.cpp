#include "tutti/command.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <sstream>
#include <utility>

#include "src/commands/cli.hpp"
#include "src/experiments/sweep/cell.hpp"
#include "src/experiments/sweep/cell_engine.hpp"
#include "src/public_api/inside.hpp"
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
    stop_if_asked();
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
      throw Stopped();
    }
  }

  CellExecutor& executor_;
  mutable std::exception_ptr failure_;
};

// Without an executor, a database needs worker processes of the program, and this process may be
// another program.
bool needs_workers(const std::vector<std::string>& arguments) {
  return std::ranges::any_of(arguments, [](const std::string& argument) {
    return argument == "--db" || argument.starts_with("--db=");
  });
}

}  // namespace

CommandOutput run_command(const std::vector<std::string>& arguments, CellExecutor* executor) {
  if (executor == nullptr && needs_workers(arguments)) {
    throw Error("--db: give an executor, which runs the cells");
  }
  std::optional<ExecutorCells> cells;
  if (executor != nullptr) {
    cells.emplace(*executor);
  }
  std::ostringstream out;
  std::ostringstream err;
  CommandOutput output;
  try {
    output.exit_code = guarded([&] {
      const OneCommand alone;
      return run(arguments, {out, err, cells ? &*cells : nullptr});
    });
  } catch (const Interrupted&) {
    if (cells) {
      cells->rethrow_failure();
    }
    throw;
  }
  output.out = std::move(out).str();
  output.err = std::move(err).str();
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
