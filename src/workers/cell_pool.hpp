// Where the cells of a sweep run. The sweep hands out cells and collects their answers, and does
// not depend on what runs them: worker processes, or an executor of the user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti { inline namespace workers {

using CellTicket = std::uint64_t;  // number that the caller chooses to identify a submitted cell

// An event that wait() reports: a worker's answer for a cell, or the death of the worker that ran
// the cell.
struct WorkerEvent {
  CellTicket ticket = 0;
  bool died = false;  // true if the cell's worker died; the cell may be submitted again
  std::string text;   // the worker's answer, one line; if the worker died, how it died
  // Time that the cell took; empty if the worker died, or if the time is not known.
  std::optional<double> seconds{};
};

class CellPool {
 public:
  CellPool() = default;
  CellPool(const CellPool&) = delete;
  CellPool& operator=(const CellPool&) = delete;
  virtual ~CellPool() = default;

  // Says that `cells` cells will be submitted next.
  virtual void expect(std::size_t /*cells*/) {}
  // Returns the number of further cells that the workers can accept now.
  [[nodiscard]] virtual std::size_t room() const = 0;
  // Submits a cell. `line` describes the cell, and must not contain a line end. If the worker of a
  // cell died, the caller may submit the cell again, and another worker runs it.
  virtual void submit(CellTicket ticket, std::string line) = 0;
  // Blocks until there is an event, but for at most `at_most_ms` milliseconds. Returns the events;
  // there may be none.
  [[nodiscard]] virtual std::vector<WorkerEvent> wait(int at_most_ms) = 0;
};

}}  // namespace tutti::workers
