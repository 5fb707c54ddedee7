// One rank's part of a schedule, over MPI.
//
// Non-blocking throughout: receives and sends are posted as soon as what they come after is over at
// this rank, local operations are done between them, and whatever ends sets others free. Nothing
// else orders the ranks; in particular there is no barrier. Blocks are sent from and received into
// the buffers themselves, runs that wrap or lie apart by a derived datatype. The one extra copy is
// that of a reduction whose operator does not commute and whose incoming data are the right
// operand, since MPI_Reduce_local takes them on the left.
//
// The schedule must be proved (schedules/verify): the executor does what it says.
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
  std::uint64_t tags = 0;  // 0: as many as MPI has; tests take fewer
};

// Seconds of this rank's clock, by step.
struct Record {
  std::vector<double> start_s;
  std::vector<double> end_s;
};

class Executor {
 public:
  // Buffers, datatypes, and the order of this rank; all of it outside the time that is measured.
  // `schedule` and `world` and `handles` must outlive it.
  Executor(const Schedule& schedule, const World& world, const ElementHandles& handles,
           const ExecutorOptions& options = {});

  // From the next run on, when each operation starts and ends. Clocks take time too.
  void record_times();
  // `input` and `work` as the collective's contract has them at the start.
  void reset_buffers();
  // Once through the schedule. Throws MpiError that names the operation, and Timeout that names
  // operations that were not done.
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
    bool staged = false;   // all is read before anything is written
    bool swapped = false;  // the incoming data are the right operand of an operator that minds
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

  std::vector<std::uint32_t> index_;  // by step, into messages_ or locals_
  std::vector<Message> messages_;
  std::vector<LocalWork> locals_;
  std::vector<Datatype> types_;
  std::vector<std::uint32_t> waits_at_start_;
  std::vector<Step> ready_at_start_;

  // The state of a run.
  std::vector<std::uint32_t> waits_for_;
  std::vector<Step> receives_;  // ready to be posted
  std::vector<Step> sends_;
  std::vector<Step> locals_ready_;  // first in, first out from locals_done_ on
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
