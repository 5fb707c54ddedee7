// Plants one fault per job; test_faults.py checks the message and the exit code. The argument is
// the name of the fault.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include "schedules/registry.hpp"
#include "sim/mpi/byte_check.hpp"
#include "sim/mpi/call_watch.hpp"
#include "sim/mpi/executor.hpp"
#include "sim/mpi/measure.hpp"
#include "sim/mpi/mpi_error.hpp"

namespace tutti::mpi { namespace {

Schedule ring(const World& world, std::uint64_t bytes) {
  Problem problem;
  problem.ranks = world.ranks();
  problem.bytes = bytes;
  return make_schedule(algorithm_named("allreduce/ring"), problem);
}

int complain(const std::vector<std::string>& wrong) {
  for (const std::string& line : wrong) {
    fmt::print(stderr, "wrong byte: {}\n", line);
  }
  return wrong.empty() ? 0 : 1;
}

// Makes one byte of the last rank's result wrong, in the runs whose numbers are in `which`.
int run_spoilt(const World& world, const std::vector<std::size_t>& which) {
  const ElementHandles handles({NumberType::int64, Operator::sum});
  const Schedule schedule = ring(world, 1200);
  Executor executor(schedule, world, handles);
  RunResults results(schedule, world.rank());
  MeasureOptions how;
  how.iterations = 5;
  how.after_run = [&](const std::byte* work) {
    const bool now = std::find(which.begin(), which.end(), results.size() + 1) != which.end();
    if (now && world.rank() == world.ranks() - 1) {
      executor.work()[808] ^= std::byte{1};
    }
    results.add(work);
  };
  (void)measure(executor, world, how);
  const ByteCheck check(schedule, world, handles, CheckKind::full);
  return complain(check.wrong_bytes(executor.work(), &results));
}

// Runs a job in which the last rank never calls the collective in which the other ranks wait. MPI
// offers no way to cancel this collective.
int hang_in_library(const World& world) {
  const ElementHandles handles({NumberType::int64, Operator::sum});
  const Schedule schedule = ring(world, 1200);
  const Executor executor(schedule, world, handles);
  const LibraryCollective library(schedule, world, handles);
  if (world.rank() == world.ranks() - 1) {
    ::sleep(25);
    return 0;
  }
  const CallWatch watch(1, library.call());
  library.run_blocking(executor.input(), executor.work());
  return 0;
}

int run_case(const std::string& fault, const World& world) {
  if (fault == "spoilt_once") {
    return run_spoilt(world, {3});
  }
  if (fault == "spoilt_often") {
    return run_spoilt(world, {1, 2, 4});
  }
  if (fault == "spoilt_last") {
    return run_spoilt(world, {6, 7});
  }
  if (fault == "library") {
    return hang_in_library(world);
  }

  const ElementHandles handles({NumberType::int64, Operator::sum});
  const bool last = world.rank() == world.ranks() - 1;
  // With the fault "truncated", rank 0 sends more bytes than the other ranks have room for.
  const std::uint64_t bytes = fault == "truncated" && world.first() ? 2400 : 1200;
  const Schedule schedule = ring(world, bytes);
  if (fault == "missing" && last) {
    // This rank takes no part, so its neighbours wait for ever.
    world.barrier();
    return 0;
  }
  if (fault == "killed" && last) {
    ::kill(::getpid(), SIGKILL);
  }
  Executor executor(schedule, world, handles);
  executor.reset_buffers();
  executor.run();
  const ByteCheck check(schedule, world, handles,
                        fault == "wrong" ? CheckKind::full : CheckKind::library);
  if (fault == "wrong" && last) {
    executor.work()[808] ^= std::byte{1};
  }
  return complain(check.wrong_bytes(executor.work()));
}

}}  // namespace tutti::mpi

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int code = 2;
  try {
    const tutti::mpi::World world(2);
    code = tutti::mpi::run_case(argc > 1 ? argv[1] : "", world);
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "rank {}: {}\n", rank, error.what());
    std::fflush(stderr);
    ::usleep(300000);  // lets the other ranks print their messages
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
