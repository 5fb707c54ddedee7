// tutti-mpi: runs schedules on real MPI, under mpirun.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <mpi.h>
#include <new>
#include <thread>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/printable.hpp"
#include "sim/mpi/mpi_error.hpp"
#include "src/formats/standard_streams.hpp"
#include "src/mpi/calibrate.hpp"
#include "src/mpi/job.hpp"
#include "src/mpi/run.hpp"
#include "src/requests/command_line.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/workers/build_id.hpp"

namespace tutti::mpi { namespace {

// Prints an error on rank 0 only, because it is the same on all ranks.
int complain(const World& world, const std::string& text) {
  if (world.first()) {
    std::cerr << "tutti-mpi: " << one_line(with_fields(text)) << '\n';
  }
  return kExitBadInput;
}

int finish(const World& world, int code) {
  if (world.first() && !std::cout.flush()) {
    throw UserError("cannot write all of standard output; check for free space");
  }
  return code;
}

int run_command(int argc, char** argv, World& world) {
  Command program("tutti-mpi",
                  "tutti-mpi: runs tutti's schedules on real MPI, and checks every byte");
  program.add_version("--version", fmt::format("tutti-mpi {}", version_and_build()));
  program.add_examples({"mpirun -np 8 tutti-mpi run allreduce/ring -n 1MiB",
                        "mpirun -np 8 tutti-mpi run bcast/binomial -n 64KiB --root 3 --timeline "
                        "bcast.json",
                        "mpirun -np 2 tutti-mpi calibrate --json machine.json"});
  program.add_note(
      "'tutti list' lists all algorithms, and 'tutti-mpi run --help all' all options.");
  RunOptions options;
  options.add_to(program.add_command("run", "Run schedules on the ranks of this job"));
  CalibrateOptions calibrate_options;
  Command& calibrate_command = program.add_command(
      "calibrate", "Measure what messages, reductions and copies cost on this machine");
  calibrate_options.add_to(calibrate_command);
  try {
    if (const auto text = parse_command_line(program, {argv + 1, argv + argc})) {
      if (world.first()) {
        std::cout << *text;
      }
      return kExitOk;
    }
    if (calibrate_command.chosen()) {
      world.set_timeout(calibrate_options.timeout_s);
      return finish(world, calibrate(calibrate_options, world));
    }
    world.set_timeout(options.timeout_s);
    return finish(world, run(options, world));
  } catch (const UserError& error) {
    return complain(world, error.what());
  }
}

// Aborts the job from one rank. Waits first, so that other ranks can print their errors too,
// because all ranks notice a timeout at about the same time.
[[noreturn]] void abort_job(int rank, const std::string& text, int code) {
  std::cerr << fmt::format("tutti-mpi: rank {}: {}\n", rank, one_line(with_fields(text)))
            << std::flush;
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();
}

int run_program(int argc, char** argv) {
  int rank = 0;
  try {
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    constexpr double kStartTimeout = 60;
    World world(kStartTimeout);
    return run_command(argc, argv, world);
  } catch (const Timeout& error) {
    abort_job(rank, error.what(), kExitCheckFailed);
  } catch (const MpiError& error) {
    abort_job(rank, error.what(), kExitCheckFailed);
  } catch (const std::bad_alloc&) {
    abort_job(rank, "out of memory; use fewer ranks per node or fewer bytes", kExitBadInput);
  } catch (const std::exception& error) {
    abort_job(rank, std::string("internal error, please report it: ") + error.what(),
              kExitInternal);
  }
}

}}  // namespace tutti::mpi

int main(int argc, char** argv) {
  const tutti::StandardStreams streams;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
    std::cerr << "tutti-mpi: MPI_Init failed; start the program with mpirun\n";
    return tutti::kExitBadInput;
  }
  const int code = tutti::mpi::run_program(argc, argv);
  std::cout.flush();
  MPI_Finalize();
  return code;
}
