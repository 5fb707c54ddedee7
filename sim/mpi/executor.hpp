// Executes one rank's part of a schedule with MPI.
//
// All communication is non-blocking. Receives and sends are posted as soon as their predecessors
// have ended at this rank. Local operations are done between polls, and the end of each operation
// releases its successors. Nothing else synchronises the ranks; in particular, there is no barrier.
// Blocks are sent from the buffers and received into the buffers without copies. Blocks that wrap
// around or are not contiguous use a derived datatype. Only one case needs an extra copy: a
// reduction with a non-commutative operator whose incoming data are the right operand, because
// MPI_Reduce_local uses incoming data as the left operand.
//
// The schedule must be proved (schedules/verify), because the executor does not check it.
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

// Start and end of each step, in seconds on this rank's clock.
struct Record {
  std::vector<double> start_s;
  std::vector<double> end_s;
};

class Executor {
 public:
  // Prepares buffers, datatypes, and the order of this rank's operations, outside the measured
  // time. `schedule`, `world` and `handles` must outlive the executor. `tags` is the number of tags
  // to use; 0: all tags that MPI allows.
  Executor(const Schedule& schedule, const World& world, const ElementHandles& handles,
           std::uint64_t tags = 0);

  // Records when each operation starts and ends, from the next run on. Runs with a record are
  // slower, because reading clocks takes time.
  void record_times();
  // Fills `input` and `work` as the collective's contract demands at the start.
  void reset_buffers();
  // Executes the schedule once. Throws MpiError with the name of the operation that failed, or
  // Timeout with the names of unfinished operations.
  void run();

  [[nodiscard]] std::byte* input() const { return buffers_.input.data(); }
  [[nodiscard]] std::byte* work() const { return buffers_.work.data(); }
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
    bool staged = false;  // true if all data must be read before any are written
    // True if the incoming data are the right operand of a non-commutative operator.
    bool swapped = false;
  };

  void prepare();
  void prepare_message(Step step);
  void prepare_local(Step step);

  void release(Step step);
  void post(Step step);
  void perform(Step step);
  void finish(Step step);
  void poll(Deadline& deadline);
  // Calls apply(from, into, bytes) for each move. If the work is staged, reads all data first.
  template <typename Apply>
  void for_each_move(const LocalWork& work, Apply&& apply);
  void reduce_run(const std::byte* from, std::byte* into, std::uint64_t bytes, bool swapped,
                  OpId id);
  [[noreturn]] void fail_with_unfinished(const Deadline& deadline) const;
  [[noreturn]] void fail_in(const char* call, OpId id, int code) const;

  const Schedule& schedule_;
  const World& world_;
  const ElementHandles& handles_;
  bool record_times_ = false;
  RankPlan plan_;
  RankBuffers buffers_;
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
  std::vector<Step> locals_ready_;  // ready local operations, from index locals_done_ on
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
