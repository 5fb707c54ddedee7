// Executes one rank's part of a schedule with MPI.
//
// All communication is non-blocking. Receives and sends are posted as soon as their predecessors
// have ended at this rank, local operations are done in between, and each end releases successors.
// Nothing else orders the ranks; in particular, there is no barrier. Blocks are sent from the
// buffers and received into them directly, and runs that wrap around or are not contiguous use a
// derived datatype. There is one exception, which needs an extra copy: a reduction with a
// non-commutative operator whose incoming data are the right operand, because MPI_Reduce_local
// takes them as the left one.
//
// The schedule must be proved (schedules/verify), because the executor does exactly what it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/mpi/handles.hpp"
#include "sim/mpi/plan/rank_plan.hpp"
#include "sim/mpi/plan/serial_replay.hpp"
#include "sim/mpi/world.hpp"

namespace tutti::mpi {

struct ExecutorOptions {
  std::uint64_t tags = 0;  // number of tags; 0: all that MPI has; tests use fewer
};

// Times of each step, in seconds of this rank's clock.
struct Record {
  std::vector<double> start_s;
  std::vector<double> end_s;
};

class Executor {
 public:
  // Prepares buffers, datatypes, and the order of this rank's operations, outside the measured
  // time. `schedule`, `world` and `handles` must outlive the executor.
  Executor(const Schedule& schedule, const World& world, const ElementHandles& handles,
           const ExecutorOptions& options = {});

  // Records when each operation starts and ends, from the next run on. Reading clocks takes time,
  // too.
  void record_times();
  // Fills `input` and `work` as the collective's contract demands at the start.
  void reset_buffers();
  // Executes the schedule once. Throws MpiError, which names the operation, or Timeout, which names
  // unfinished operations.
  void run();

  [[nodiscard]] std::byte* input() const { return input_.data(); }
  [[nodiscard]] std::byte* work() const { return work_.data(); }
  [[nodiscard]] const RankPlan& plan() const { return plan_; }
  [[nodiscard]] const Record& record() const { return record_; }

 private:
  struct Message {
    std::byte* data = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int peer = 0;
  };
  struct LocalWork {
    std::vector<ByteMove> moves;
    std::byte* from = nullptr;
    std::byte* into = nullptr;
    bool staged = false;   // all data are read before any are written
    bool swapped = false;  // the incoming data are the right operand of a non-commutative operator
  };

  void prepare();
  void prepare_message(Step step);
  void prepare_local(Step step);
  [[nodiscard]] std::byte* buffer(Buffer buffer) const;

  void release(Step step);
  void post(Step step);
  void perform(Step step);
  void finish(Step step);
  void poll(Deadline& deadline);
  void copy(const LocalWork& work);
  void reduce(const LocalWork& work, OpId id);
  void reduce_run(const std::byte* from, std::byte* into, std::uint64_t bytes, bool swapped,
                  OpId id);
  [[noreturn]] void fail_with_unfinished(const Deadline& deadline) const;
  [[noreturn]] void fail_in(const char* call, OpId id, int code) const;

  const Schedule& schedule_;
  const World& world_;
  const ElementHandles& handles_;
  bool record_times_ = false;
  RankPlan plan_;
  LazyBytes input_;
  LazyBytes work_;
  LazyBytes scratch_;
  std::vector<std::byte> staging_;

  std::vector<std::uint32_t> index_;  // by step: index in messages_ or locals_
  std::vector<Message> messages_;
  std::vector<LocalWork> locals_;
  std::vector<Datatype> types_;
  std::vector<std::uint32_t> waits_at_start_;
  std::vector<Step> ready_at_start_;

  // State of a run.
  std::vector<std::uint32_t> waits_for_;
  std::vector<Step> receives_;  // receives that can be posted
  std::vector<Step> sends_;
  std::vector<Step> locals_ready_;  // a queue, which begins at locals_done_
  std::size_t locals_done_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<Step> request_steps_;
  std::vector<int> completed_;
  std::vector<MPI_Status> statuses_;
  Step unfinished_ = 0;
  std::vector<std::uint8_t> state_;
  Record record_;
};

}  // namespace tutti::mpi
