// Processes `tutti worker` on this machine. Knows neither SimGrid nor MPI.
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

using CellTicket = std::uint64_t;  // the caller's number for a cell that it has handed out

struct WorkerEvent {
  CellTicket ticket = 0;
  bool died = false;                // the worker that had it; it may be submitted again
  std::string text;                 // the answer's line; or what became of the worker, in words
  std::optional<double> seconds{};  // that it took, where they are known
};

// The first line of a worker: it is there, and of the same build.
[[nodiscard]] std::string worker_greeting();

class WorkerPool {
 public:
  // `program` is tutti. A worker has cells for `ahead_s`, where they are short, so that it need not
  // wait for the next one. Throws UserError when the program cannot be started, or is of another
  // build.
  WorkerPool(std::string program, std::size_t workers, double ahead_s = 0.015);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();  // kills what still runs

  // How many cells the workers would take now.
  [[nodiscard]] std::size_t room() const;
  // `line`: a cell, without the end of the line. One that was submitted before, and whose worker
  // died, goes to another worker, if there is one.
  void submit(CellTicket ticket, std::string line);
  // Blocks until something happens, but no longer than the milliseconds given; may return nothing.
  // A worker that has died is replaced, and what it had not begun goes to others. Throws UserError
  // when no worker can be started any more.
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
  std::size_t depth_ = 1;  // cells that a worker has at a time; more where they are short
  double mean_s_ = -1;     // what a cell takes, lately; below 0 before the first
};

}  // namespace tutti::inline workers
