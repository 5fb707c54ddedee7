#include "tests/mutation/tries.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

#include "src/commands/cli.hpp"
#include "src/experiments/sweep/result_store.hpp"
#include "src/formats/printed_messages.hpp"
#include "tests/fuzz/row_text.hpp"
#include "tests/mutation/mutate.hpp"

namespace mutation {

namespace {

namespace fs = std::filesystem;

// Timeouts in seconds. A try that exceeds the first timeout is repeated, because the machine may
// only be busy. A try that then exceeds the second timeout is reported.
constexpr std::array<unsigned, 2> kPatienceS{20, 300};
constexpr rlim_t kMostCpuS = 8;
constexpr std::size_t kMostFaults = 20;

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// Runs tutti in this process and exits with its exit code. Standard input comes from the file
// `input`, standard error goes into the file `printed`, and standard output is discarded.
[[noreturn]] void become(const std::vector<std::string>& arguments, const fs::path& input,
                         const fs::path& printed, unsigned patience_s) {
  setpgid(0, 0);
  const rlimit cpu{kMostCpuS, kMostCpuS};
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CPU, &cpu);
  setrlimit(RLIMIT_CORE, &none);
  const int from = ::open(input.c_str(), O_RDONLY);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  const int into = ::open(printed.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(from, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(into, STDERR_FILENO);
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGTERM, SIGINT}) {
    std::signal(signal, SIG_DFL);  // the test's own handlers would hide the signal
  }
  ::alarm(patience_s);
  std::ostringstream out;
  std::ostringstream err;
  tutti::PrintedMessages messages(err);
  const int code = tutti::run(arguments, {out, messages});
  const std::string text = err.str();
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) {
    ::_exit(99);
  }
  ::_exit(code);
}

// Returns the number of lines of `printed`, without indented lines. An indented line belongs to the
// line before it: it is part of an excerpt of a schedule with a caret, or a finding of a proof.
std::size_t lines_of(const std::string& printed) {
  std::istringstream lines(printed);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    count += line.starts_with("  ") ? 0 : 1;
  }
  return count;
}

// Runs tutti in a child process and returns the status of the child as waitpid() reports it.
int run_on(const std::vector<std::string>& arguments, const fs::path& input,
           const fs::path& printed) {
  int status = 0;
  for (const unsigned patience_s : kPatienceS) {
    const pid_t child = ::fork();
    if (child == 0) {
      become(arguments, input, printed, patience_s);
    }
    ::waitpid(child, &status, 0);
    ::kill(-child, SIGKILL);  // processes that the child left behind
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGALRM) {
      break;
    }
  }
  return status;
}

// Returns the path of a folder, in memory if possible: writes to a database on a disk are slow,
// because SQLite waits for the disk.
fs::path scratch_folder() {
  const fs::path memory = "/dev/shm";
  const fs::path base = ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
  return base / fmt::format("tutti-mutation-{}", getpid());
}

}  // namespace

Outcome try_all(const std::vector<Kind>& kinds, unsigned long tries, unsigned long seed) {
  const fs::path folder = scratch_folder();
  fs::create_directories(folder);
  const fs::path input = folder / "input";
  const fs::path printed = folder / "said";
  Outcome outcome;
  for (unsigned long i = 0; i < tries && outcome.faults.size() < kMostFaults; ++i) {
    // Each try has its own seed, so that it can be repeated alone.
    Random random(seed + i);
    const Kind& kind = kinds[random() % kinds.size()];
    const std::string text = mutated(kind.inputs, random);
    std::vector<std::string> arguments = kind.commands[random() % kind.commands.size()];
    std::replace(arguments.begin(), arguments.end(), std::string("@"), input.string());
    for (const char* end : {"", "-wal", "-shm", "-journal"}) {
      fs::remove(input.string() + end);
    }
    if (kind.is_row) {
      tutti::ResultStore(input, tutti::Database::Mode::write).put({fuzz::row_of(text)});
    } else {
      write(input, text);
    }
    const int status = run_on(arguments, kind.is_stdin ? input : fs::path("/dev/null"), printed);
    const std::string what = read(printed);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    // A command that succeeds may have several notes about its input.
    const std::size_t most_lines = code == 0 ? 5 : 2;
    if (code >= 0 && code <= 2 && lines_of(what) <= most_lines) {
      ++outcome.exits[code];
      continue;
    }
    const fs::path kept = fs::current_path() / fmt::format("mutation-{}-{}", kind.name, seed + i);
    fs::copy_file(input, kept, fs::copy_options::overwrite_existing);
    outcome.faults.push_back(fmt::format("exit {}: tutti {} (the input is {}): {}", code,
                                         fmt::join(arguments, " "), kept.string(),
                                         what.substr(0, 500)));
  }
  fs::remove_all(folder);
  return outcome;
}

}  // namespace mutation
