// tutti worker: reads cells of a sweep from standard input, one per line, and writes the result of
// each cell to standard output. Sweeps with a database (--db) start such workers. The help does not
// list this command, because users need not run it.
#include <fmt/format.h>
#include <sys/prctl.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <malloc.h>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/experiments/sweep/cell_engine.hpp"
#include "src/requests/command_table.hpp"
#include "src/simulation/outcome_json.hpp"
#include "src/workers/worker_pool.hpp"

namespace tutti { inline namespace commands {

namespace {

constexpr int kKeptBytes = 1 << 28;

// For tests: kills this worker if the environment variable TUTTI_TEST_WORKER_DIES_ON names the cell
// that the worker has received. For example, the value ring:8:4096 stands for algorithm ring, 8
// ranks and 4096 bytes.
void die_if_requested(const Problem& problem, const Algorithm& algorithm) {
  if (const char* cell = std::getenv("TUTTI_TEST_WORKER_DIES_ON");
      cell != nullptr &&
      cell == fmt::format("{}:{}:{}", algorithm.name, problem.ranks, problem.bytes)) {
    (void)std::fputs("this is a test\n", stderr);
    std::raise(SIGKILL);
  }
}

// For tests that need a slow sweep: TUTTI_TEST_WORKER_WAITS_MS=10 makes each cell take 10 ms
// longer.
void wait_if_requested() {
  if (const char* ms = std::getenv("TUTTI_TEST_WORKER_WAITS_MS"); ms != nullptr) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(ms)));
  }
}

// For tests that count how many cells are run: if TUTTI_TEST_WORKER_NOTES names a file, each worker
// appends to this file the input line of each cell that it runs.
void note_if_requested(const std::string& line) {
  if (const char* file = std::getenv("TUTTI_TEST_WORKER_NOTES"); file != nullptr) {
    std::ofstream(file, std::ios::app) << line + '\n' << std::flush;
  }
}

int work(Streams streams) {
  // Tells the kernel to kill this worker when its parent process ends.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Makes free() keep memory for the next cell instead of returning it to the kernel. The kernel
  // would clear the memory before this process could use it again, which takes time.
  mallopt(M_MMAP_THRESHOLD, kKeptBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  streams.out << worker_greeting() << std::endl;
  CellEngine engine;
  CellReader reader;
  std::string line;
  while (std::getline(std::cin, line)) {
    Outcome outcome;
    try {
      const ReceivedCell received = reader.read(line);
      die_if_requested(received.cell.problem, *received.cell.algorithm);
      wait_if_requested();
      note_if_requested(line);
      outcome = engine.run(received);
    } catch (const UserError& error) {
      outcome = Failure{error.what()};
    }
    streams.out << outcome_line(outcome) << std::endl;
    if (!streams.out) {
      return kExitBadInput;  // the process that reads the answers is gone
    }
  }
  if (std::cin.bad()) {
    // There is not enough memory for the line: std::getline() catches std::bad_alloc, and only sets
    // the bad bit of std::cin.
    throw std::bad_alloc();
  }
  return kExitOk;
}

}  // namespace

Action add_worker(Command& app, Streams streams) {
  app.add_command("worker", "Runs cells of a sweep, one line of JSON each").hide();
  return [streams] { return work(streams); };
}

}}  // namespace tutti::commands
