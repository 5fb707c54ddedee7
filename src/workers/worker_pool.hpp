// Processes `tutti worker` on this machine. Knows neither SimGrid nor MPI.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <poll.h>
#include <vector>

#include "src/workers/cell_workers.hpp"

namespace tutti::inline workers {

// The first line of a worker: it is there, and of the same build.
[[nodiscard]] std::string worker_greeting();

class WorkerPool final : public CellWorkers {
 public:
  // `program` is tutti. A worker has cells for `ahead_s`, where they are short, so that it need not
  // wait for the next one. Throws UserError when the program cannot be started, or is of another
  // build.
  WorkerPool(std::string program, std::size_t workers, double ahead_s = 0.015);
  ~WorkerPool() override;  // kills what still runs

  [[nodiscard]] std::size_t room() const override;
  void submit(CellTicket ticket, std::string line) override;
  // A worker that has died is replaced, and what it had not begun goes to others.
  [[nodiscard]] std::vector<WorkerEvent> wait(int at_most_ms) override;
  // What wait() waits for, for those who wait for more than that.
  void add_to(std::vector<pollfd>& awaited) const;

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
