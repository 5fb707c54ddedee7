// What goes wrong on purpose, one case per job: the message and the exit code are what
// test_faults.py looks at. Arguments: the case.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <signal.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include "schedules/registry.hpp"
#include "sim/mpi/byte_check.hpp"
#include "sim/mpi/executor.hpp"
#include "sim/mpi/mpi_error.hpp"

namespace tutti::mpi {
namespace {

Schedule ring(const World& world, std::uint64_t bytes) {
  Problem problem;
  problem.ranks = world.ranks();
  problem.bytes = bytes;
  return make_schedule(algorithm_named("allreduce/ring"), problem);
}

int run_case(const std::string& fault, const World& world) {
  const ElementHandles handles({NumberType::int64, Operator::sum});
  const bool last = world.rank() == world.ranks() - 1;
  // Rank 0 sends more than the others have room for.
  const std::uint64_t bytes = fault == "truncated" && world.first() ? 2400 : 1200;
  const Schedule schedule = ring(world, bytes);
  if (fault == "missing" && last) {
    // This rank takes no part, so that its neighbours wait for ever.
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
  const auto wrong = check.wrong_bytes(executor.work());
  for (const std::string& line : wrong) {
    fmt::print(stderr, "wrong byte: {}\n", line);
  }
  return wrong.empty() ? 0 : 1;
}

}  // namespace
}  // namespace tutti::mpi

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
    ::usleep(300000);  // the other ranks may have something to say too
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
