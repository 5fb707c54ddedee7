// The ranks of a job, where they run, and how they wait for each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <mpi.h>
#include <string>
#include <vector>

#include "schedules/op.hpp"

namespace tutti::mpi {

// Ends waiting. It is looked at rarely, since reading a clock costs more than asking for progress.
class Deadline {
 public:
  explicit Deadline(double seconds) : seconds_(seconds) {}
  // Something happened: the time starts again at the next look.
  void restart() { running_ = false; }
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] std::uint32_t idle_calls() const { return idle_calls_; }
  // Called whenever there is nothing to do. True once the time is over.
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

// A communicator of our own, whose errors are returned, over all ranks of the job.
class World {
 public:
  // Collective. `timeout_s` is the longest that one wait may take.
  explicit World(double timeout_s);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  [[nodiscard]] bool first() const { return rank_ == 0; }
  // Some node has more ranks than cores that they may run on.
  [[nodiscard]] bool oversubscribed() const { return oversubscribed_; }
  // MPI_TAG_UB + 1.
  [[nodiscard]] std::uint64_t tags() const { return tags_; }
  // The smallest rank of each rank's node.
  [[nodiscard]] const std::vector<Rank>& node_leaders() const { return node_leaders_; }
  [[nodiscard]] std::uint32_t nodes() const;
  // "8 ranks on 2 nodes: ranks 0-3 on 4 cores, ranks 4-7 on 4 cores"
  [[nodiscard]] std::string description() const;

  [[nodiscard]] Deadline deadline() const { return Deadline(timeout_s_); }
  void set_timeout(double seconds) { timeout_s_ = seconds; }

  // Gives the core away when another rank may need it. A blocking MPI call would not: MPICH's spin
  // until their time slice is over. `calls` counts them up: now and then more than a yield is due.
  void idle(std::uint32_t calls) const;
  // Waits for one request in that way. Throws Timeout that says `what` was waited for.
  void wait(MPI_Request& request, const char* what) const;
  void barrier() const;
  // On all ranks what rank 0 has.
  [[nodiscard]] std::string broadcast(std::string text) const;
  // On rank 0, of all ranks; elsewhere empty.
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
