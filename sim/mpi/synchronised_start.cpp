#include "sim/mpi/synchronised_start.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>

#include "sim/mpi/clock.hpp"
#include "sim/mpi/mpi_error.hpp"

#if TUTTI_UNDER_SMPI
#include <simgrid/s4u/Actor.hpp>
#endif

namespace tutti::mpi {

namespace {

constexpr double kMostAhead = 5e-3;

// Returns the number of times that the system has taken the core from this thread.
long involuntary_switches() {
  rusage usage{};
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

}  // namespace

SynchronisedStart::Before SynchronisedStart::wait(double elapsed_s) {
  // One reduction finds the latest of all clocks and the state of the previous iteration, and also
  // acts as a barrier. The reduction is not in place, because with SMPI 3.32 ranks would then get
  // different results.
  const std::array<double, 4> mine{now_s() + offset_s_, late_ ? 1.0 : 0.0, interrupted_ ? 1.0 : 0.0,
                                   elapsed_s};
  std::array<double, 4> facts{};
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(mine.data(), facts.data(), static_cast<int>(facts.size()), MPI_DOUBLE,
                       MPI_MAX, world_.comm(), &request),
        "MPI_Iallreduce");
  world_.wait(request, "MPI_Iallreduce before a common start");
  const Before before{facts[1] > 0, facts[2] > 0, facts[3], facts[0]};
  if (before.late) {
    ahead_s_ = std::min(2 * ahead_s_, kMostAhead);
  }
  start_s_ = facts[0] + ahead_s_ - offset_s_;
  switches_ = involuntary_switches();
  late_ = now_s() > start_s_;
#if TUTTI_UNDER_SMPI
  simgrid::s4u::this_actor::sleep_until(start_s_);
#else
  for (std::uint32_t calls = 1; now_s() < start_s_; ++calls) {
    world_.idle(calls);
  }
#endif
  return before;
}

double SynchronisedStart::stop() {
  const double elapsed_s = now_s() - start_s_;
  interrupted_ = involuntary_switches() != switches_;
  return elapsed_s;
}

}  // namespace tutti::mpi
