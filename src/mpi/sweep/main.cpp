// tutti-sweep: the cells of a sweep over all nodes of an MPI job.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mpi.h>
#include <new>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/quantities.hpp"
#include "sim/mpi/mpi_error.hpp"
#include "src/formats/standard_streams.hpp"
#include "src/mpi/sweep/router.hpp"
#include "src/requests/command_line.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/exit_codes.hpp"
#include "src/workers/build_id.hpp"

namespace tutti::sweep {

namespace {

constexpr std::uint32_t kMostWorkers = 1024;

// The tutti that was built or installed with this program, or the one that is in the PATH.
std::string default_program() {
  std::error_code error;
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "tutti";
  return !error && std::filesystem::exists(beside, error) ? beside.string() : "tutti";
}

struct Options {
  std::optional<std::string> program;
  std::optional<std::string> workers;
  std::optional<std::string> lost_after;

  [[nodiscard]] SweepJob job(std::vector<std::string> command) const {
    SweepJob job;
    if (command.empty()) {
      throw UserError(
          "what is to be swept? Give a command of tutti, such as compare allreduce -p 64 -n 1MiB "
          "--db results.db");
    }
    job.command = std::move(command);
    job.program = program ? *program : default_program();
    if (workers) {
      job.workers = parse_count("--workers", *workers, kMostWorkers);
      if (job.workers == 0) {
        throw UserError("--workers '0': each rank needs at least 1");
      }
    }
    if (lost_after) {
      job.lost_after_s = parse_time_s("--lost-after", *lost_after);
      constexpr double kLeast = 6;  // three signs of life
      if (job.lost_after_s < kLeast) {
        throw UserError(fmt::format("--lost-after '{}': accepted is 6s or more", *lost_after));
      }
    }
    return job;
  }
};

int complain(const Mail& mail, const std::string& text) {
  if (mail.rank() == 0) {
    std::cerr << "tutti-sweep: " << one_line(text) << std::endl;
  }
  return kExitBadInput;
}

int sweep(int argc, char** argv, Mail& mail) {
  Command program("tutti-sweep",
                  "tutti-sweep: a command of tutti, its cells spread over the ranks of an MPI job");
  program.add_version("--version", fmt::format("tutti-sweep {}", version_and_build()));
  program.keep_rest("COMMAND...");
  program.end_options_at_rest();
  Options options;
  program.add_option("--workers", options.workers, "Processes that run cells, on each rank [1]")
      .type_name("COUNT");
  program
      .add_option("--tutti", options.program, "The program tutti [beside this one, or in the PATH]")
      .type_name("FILE");
  program
      .add_option("--lost-after", options.lost_after,
                  "A rank that is silent for so long is lost, and the job ends [60s]")
      .type_name("TIME");
  program.add_examples(
      {"mpirun -np 64 tutti-sweep compare allreduce -p 2..512*2 -n 8..16MiB*2 --db results.db",
       "srun --ntasks-per-node 1 tutti-sweep --workers 32 compare bcast -p 64 -n 1MiB --db r.db",
       "mpirun -np 64 tutti-sweep decide bcast -p 2..512*2 -n 8..16MiB*2 --db results.db"});
  program.add_note(
      "Rank 0 leads and keeps the results; each other rank runs cells. Started again with the same "
      "database, it goes on where it stopped. 'tutti compare --help' names the options of a "
      "command.");
  SweepJob job;
  try {
    if (const auto text = parse_command_line(program, {argv + 1, argv + argc})) {
      if (mail.rank() == 0) {
        std::cout << *text;
      }
      return kExitOk;
    }
    job = options.job(program.rest());
  } catch (const UserError& error) {
    return complain(mail, error.what());
  }
  if (mail.rank() != 0) {
    serve(job, mail);
    return kExitOk;
  }
  try {
    return route(job, mail);
  } catch (const UserError& error) {
    return complain(mail, error.what());
  }
}

[[noreturn]] void abort_job(int rank, const std::string& text, int code) {
  std::cerr << fmt::format("tutti-sweep: rank {}: {}\n", rank, one_line(text)) << std::flush;
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();
}

int run_program(int argc, char** argv) {
  int rank = 0;
  try {
    mpi::check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
               "MPI_Comm_set_errhandler");
    Mail mail;
    rank = mail.rank();
    return sweep(argc, argv, mail);
  } catch (const RankLost& error) {
    abort_job(rank, error.what(), kExitCheckFailed);
  } catch (const mpi::MpiError& error) {
    abort_job(rank, error.what(), kExitCheckFailed);
  } catch (const std::bad_alloc&) {
    abort_job(rank, "out of memory", kExitBadInput);
  } catch (const std::exception& error) {
    abort_job(rank, std::string("internal error, please report it: ") + error.what(),
              kExitInternal);
  }
}

}  // namespace

}  // namespace tutti::sweep

int main(int argc, char** argv) {
  const tutti::StandardStreams streams;
  tutti::spell_fields_as(tutti::FieldNames::flags);
  // Where there are more ranks than processors, Open MPI would have each look for a letter give way
  // to the workers, for milliseconds. We pause by ourselves.
  setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
  // mpirun may give us a terminal of its own, whatever its own output goes to.
  setenv("NO_COLOR", "1", 0);
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
    std::cerr << "tutti-sweep: MPI_Init failed; start the program with mpirun\n";
    return tutti::kExitBadInput;
  }
  const int code = tutti::sweep::run_program(argc, argv);
  std::cout.flush();
  MPI_Finalize();
  return code;
}
