// The ranks of a job, their nodes, and how they wait for each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <mpi.h>
#include <string>
#include <vector>

#include "schedules/op.hpp"

namespace tutti::mpi {

// Limits the time of a wait. The clock is read only once in many polls, because reading it costs
// more than a poll.
class Deadline {
 public:
  explicit Deadline(double seconds) : seconds_(seconds) {}
  // Must be called whenever there is progress. The time limit starts anew when the clock is next
  // read.
  void restart() { running_ = false; }
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] std::uint32_t idle_calls() const { return idle_calls_; }
  // Must be called whenever a poll finds no progress. Returns true once the time is over.
  [[nodiscard]] bool idle() {
    constexpr std::uint32_t kIdleCallsPerLook = 256;
    return ++idle_calls_ % kIdleCallsPerLook == 0 && over();
  }

 private:
  [[nodiscard]] bool over();

  double seconds_;
  bool running_ = false;
  std::chrono::steady_clock::time_point end_;
  std::uint32_t idle_calls_ = 0;
};

// A separate communicator of all ranks of the job. MPI calls on this communicator return errors
// instead of aborting.
class World {
 public:
  // All ranks must call this constructor. `timeout_s` is the limit for a single wait.
  explicit World(double timeout_s);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  [[nodiscard]] bool first() const { return rank_ == 0; }
  // True if some node has more ranks than cores on which they may run.
  [[nodiscard]] bool oversubscribed() const { return oversubscribed_; }
  // Number of tags: MPI_TAG_UB + 1.
  [[nodiscard]] std::uint64_t tags() const { return tags_; }
  // By rank: the smallest rank on the same node.
  [[nodiscard]] const std::vector<Rank>& node_leaders() const { return node_leaders_; }
  [[nodiscard]] std::uint32_t nodes() const;
  // Returns a text such as "8 ranks on 2 nodes: ranks 0-3 on 4 cores, ranks 4-7 on 4 cores".
  [[nodiscard]] std::string description() const;

  [[nodiscard]] Deadline deadline() const { return Deadline(timeout_s_); }
  void set_timeout(double seconds) { timeout_s_ = seconds; }

  // Gives the core away if another rank may need it. A blocking MPI call might not do so: blocking
  // calls of MPICH spin until their time slice is over. `calls` is the number of calls so far:
  // every 16th call sleeps briefly, because a yield is not always enough.
  void idle(std::uint32_t calls) const;
  // Waits for one request, and gives the core away meanwhile. Throws Timeout, whose text contains
  // `what`.
  void wait(MPI_Request& request, const char* what) const;
  void barrier() const;
  // Returns rank 0's text on all ranks.
  [[nodiscard]] std::string broadcast(std::string text) const;
  // Returns the values of all ranks on rank 0, and nothing on other ranks.
  [[nodiscard]] std::vector<double> gather(const std::vector<double>& mine) const;

 private:
  void find_nodes();

  MPI_Comm comm_ = MPI_COMM_NULL;
  Rank rank_ = 0;
  std::uint32_t ranks_ = 1;
  std::uint64_t tags_ = 1;
  double timeout_s_;
  bool oversubscribed_ = false;
  std::vector<Rank> node_leaders_;
  std::vector<std::uint32_t> node_cores_;  // by rank
};

}  // namespace tutti::mpi
