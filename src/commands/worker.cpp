// tutti worker: cells of a sweep, one per line of standard input; answers on standard output.
// Sweeps with a database start it; not in the list of commands.
#include <fmt/format.h>
#include <sys/prctl.h>

#include <chrono>
#include <csignal>
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

namespace tutti::inline commands {

namespace {

constexpr int kKeptBytes = 1 << 28;

// For tests: TUTTI_TEST_WORKER_DIES_ON=ring:8:4096 has each worker die of that cell.
void die_if_asked(const Problem& problem, const Algorithm& algorithm) {
  if (const char* cell = std::getenv("TUTTI_TEST_WORKER_DIES_ON");
      cell != nullptr &&
      cell == fmt::format("{}:{}:{}", algorithm.name, problem.ranks, problem.bytes)) {
    std::cerr << "this is a test\n";
    std::raise(SIGKILL);
  }
}

// For tests that do something while a sweep is under way: TUTTI_TEST_WORKER_WAITS_MS=10 has each
// cell take so much longer.
void wait_if_asked() {
  if (const char* ms = std::getenv("TUTTI_TEST_WORKER_WAITS_MS"); ms != nullptr) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(ms)));
  }
}

// For tests that count which cells were run, by whom ever: TUTTI_TEST_WORKER_NOTES=FILE has each
// worker add a line to the file for each.
void note_if_asked(const std::string& line) {
  if (const char* file = std::getenv("TUTTI_TEST_WORKER_NOTES"); file != nullptr) {
    std::ofstream(file, std::ios::app) << line + '\n' << std::flush;
  }
}

int work(Streams streams) {
  // Whoever started this is gone, or goes: so does this.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A run takes the memory that the one before has given back: from here, and not from the system,
  // which would have to clear it again.
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
      die_if_asked(received.cell.problem, *received.cell.algorithm);
      wait_if_asked();
      note_if_asked(line);
      outcome = engine.run(received);
    } catch (const UserError& error) {
      outcome = Failure{error.what()};
    }
    streams.out << outcome_line(outcome) << std::endl;
    if (!streams.out) {
      return kExitBadInput;  // nobody listens
    }
  }
  if (std::cin.bad()) {
    throw std::bad_alloc();  // which a stream keeps to itself
  }
  return kExitOk;
}

}  // namespace

Action add_worker(Command& app, Streams streams) {
  app.add_command("worker", "Runs cells of a sweep, one line of JSON each").hide();
  return [streams] { return work(streams); };
}

}  // namespace tutti::inline commands
