// A pool of `tutti worker` processes on this machine. The pool uses neither SimGrid nor MPI.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "src/workers/cell_pool.hpp"

namespace tutti { inline namespace workers {

// Returns the first line that a worker sends. It contains the build id, which must be that of the
// program that started the worker.
[[nodiscard]] std::string worker_greeting();

class WorkerPool final : public CellPool {
 public:
  // Starts `workers` processes of `program`, the path of tutti. If cells take little time, each
  // worker gets several cells in advance, enough for `ahead_s` seconds, so that the worker need not
  // wait between cells. Throws UserError if the program cannot be started, or is another build of
  // tutti.
  WorkerPool(std::string program, std::size_t workers, double ahead_s = 0.015);
  ~WorkerPool() override;  // kills all workers

  [[nodiscard]] std::size_t room() const override;
  void submit(CellTicket ticket, std::string line) override;
  // Starts a new worker for each worker that died. Cells that the dead worker had received but not
  // begun are queued again. Throws UserError if no new worker can be started.
  [[nodiscard]] std::vector<WorkerEvent> wait(int at_most_ms) override;

 private:
  class Worker;
  struct QueuedCell {
    CellTicket ticket;
    std::string line;
  };

  std::unique_ptr<Worker> start() const;
  void hand_out();
  void note_time(std::chrono::duration<double> took);

  std::string program_;
  double ahead_s_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::deque<QueuedCell> waiting_;
  // The largest number of cells that a worker may have at a time: the one that it runs, and those
  // that it gets in advance. More than 1 if cells take little time.
  std::size_t depth_ = 1;
  // The mean time of recent cells, in seconds; negative until a cell is done.
  double mean_s_ = -1;
};

}}  // namespace tutti::workers
