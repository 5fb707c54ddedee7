// A pool of `tutti worker` processes on this machine. Independent of SimGrid and MPI.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tutti::inline workers {

using CellTicket = std::uint64_t;  // the caller's number for a submitted cell

struct WorkerEvent {
  CellTicket ticket = 0;
  bool died = false;  // true if the cell's worker died; the cell may be submitted again
  std::string text;   // the worker's answer, one line; if the worker died, how it died
  std::optional<double> seconds{};  // time that the cell took, if known
};

// The first line that a worker sends: it shows that the worker runs, and is of the same build.
[[nodiscard]] std::string worker_greeting();

class WorkerPool {
 public:
  // `program` is the path of tutti. If cells are short, each worker gets several cells in advance,
  // enough for `ahead_s` seconds, so that it need not wait between cells. Throws UserError if the
  // program cannot be started, or is of another build.
  WorkerPool(std::string program, std::size_t workers, double ahead_s = 0.015);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();  // kills all workers

  // Number of cells that the workers could accept now.
  [[nodiscard]] std::size_t room() const;
  // Submits a cell, described by `line`, which must not contain a line end. A cell whose worker
  // died may be submitted again, and goes to another worker if there is one.
  void submit(CellTicket ticket, std::string line);
  // Blocks until there is an event, but at most for the given number of milliseconds; may return no
  // events. Replaces a worker that died, and gives its unstarted cells to other workers. Throws
  // UserError if no new worker can be started.
  [[nodiscard]] std::vector<WorkerEvent> wait(int at_most_ms);

 private:
  class Worker;
  struct Queued {
    CellTicket ticket;
    std::string line;
  };

  std::unique_ptr<Worker> start() const;
  void hand_out();
  void note_time(std::chrono::duration<double> took);

  std::string program_;
  double ahead_s_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::deque<Queued> waiting_;
  // The largest number of cells that a worker holds at a time; more than 1 if cells are short.
  std::size_t depth_ = 1;
  // The mean time of recent cells, in seconds; negative before the first cell is done.
  double mean_s_ = -1;
};

}  // namespace tutti::inline workers
