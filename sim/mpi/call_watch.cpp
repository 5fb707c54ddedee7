#include "sim/mpi/call_watch.hpp"

#if !TUTTI_UNDER_SMPI
#include <fmt/format.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <ctime>
#include <unistd.h>

#include "sim/mpi/mpi_error.hpp"
#endif

namespace tutti::mpi {

namespace {

#if TUTTI_UNDER_SMPI

// No timer is needed, because the simulator notices a hang. Moreover, the simulated clock is not
// the system's clock.
void start(double, const char*) {}
void stop() {}

#else

constexpr int kExitCheckFailed = 1;  // the same exit code as after a timeout of World::wait()

// The message of the signal handler. It is formatted before the alarm is set, because a signal
// handler must not format text.
std::array<char, 256> g_last_words;
std::size_t g_length = 0;

void end_process(int) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, g_last_words.data(), g_length);
  // Gives other ranks time to print their own messages.
  constexpr timespec kMoment{0, 500'000'000};
  ::nanosleep(&kMoment, nullptr);
  ::_exit(kExitCheckFailed);
}

void set_alarm(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec =
      static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6) + (seconds > 0 ? 1 : 0);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

void start(double seconds, const char* call) {
  int rank = 0;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  const auto text = fmt::format_to_n(
      g_last_words.data(), g_last_words.size(),
      "tutti-mpi: rank {}: the library's own {} did not return within {} s\n", rank, call, seconds);
  g_length = std::min(text.size, g_last_words.size());
  struct sigaction action {};
  action.sa_handler = end_process;
  ::sigaction(SIGALRM, &action, nullptr);
  set_alarm(seconds);
}

void stop() {
  set_alarm(0);
  ::signal(SIGALRM, SIG_DFL);
}

#endif

}  // namespace

CallWatch::CallWatch(double seconds, const char* call) { start(seconds, call); }

CallWatch::~CallWatch() { stop(); }

}  // namespace tutti::mpi
