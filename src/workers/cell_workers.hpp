// Where the cells of a sweep go to be run: processes on this machine, or on many by tutti-sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tutti::inline workers {

using CellTicket = std::uint64_t;  // the caller's number for a cell that it has handed out

struct WorkerEvent {
  CellTicket ticket = 0;
  bool died = false;                // the worker that had it; it may be submitted again
  std::string text;                 // the answer's line; or what became of the worker, in words
  std::optional<double> seconds{};  // that it took, where they are known
};

class CellWorkers {
 public:
  CellWorkers() = default;
  CellWorkers(const CellWorkers&) = delete;
  CellWorkers& operator=(const CellWorkers&) = delete;
  virtual ~CellWorkers() = default;

  // How many cells they would take now.
  [[nodiscard]] virtual std::size_t room() const = 0;
  // A cell as one line, without its end. One that was submitted before, and whose worker died, goes
  // to another worker, if there is one.
  virtual void submit(CellTicket ticket, std::string line) = 0;
  // Blocks until something happens, but no longer than the milliseconds given; may return nothing.
  // Throws UserError when there are no workers any more.
  [[nodiscard]] virtual std::vector<WorkerEvent> wait(int at_most_ms) = 0;
};

}  // namespace tutti::inline workers
