#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <pthread.h>
#include <thread>

#include "base/work_ticker.hpp"
#include "src/public_api/inside.hpp"

namespace tutti::v1 {

namespace {

// State of this process. A process that is forked while a function runs, such as a worker of
// Python's ProcessPoolExecutor, begins with a new state: the threads that held the locks are not
// there.
struct ProcessState {
  std::mutex running_mutex;
  std::size_t running = 0;
  std::timed_mutex command_mutex;
  std::atomic<std::thread::id> command_thread;  // the thread that runs a command
};

ProcessState& state() {
  static ProcessState& one = *[] {
    alignas(ProcessState) static unsigned char room[sizeof(ProcessState)];
    static ProcessState* const made = new (room) ProcessState;
    pthread_atfork(nullptr, nullptr, [] {
      new (room) ProcessState;
      stop_requested = false;
    });
    return made;
  }();
  return one;
}

}  // namespace

void interrupt() noexcept { stop_requested = true; }

Running::Running() {
  const std::lock_guard lock(state().running_mutex);
  if (state().running++ == 0) {
    stop_requested = false;  // an interrupt() while nothing ran
  }
}

Running::~Running() {
  const std::lock_guard lock(state().running_mutex);
  --state().running;
}

namespace {

std::unique_lock<std::timed_mutex> one_command() {
  if (state().command_thread == std::this_thread::get_id()) {
    throw v1::Error(
        "a function that tutti calls (executor, progress, with_) must not run a command of tutti");
  }
  constexpr std::chrono::milliseconds kLookForStop{100};
  std::unique_lock lock(state().command_mutex, std::defer_lock);
  while (!lock.try_lock_for(kLookForStop)) {
    stop_if_requested();
  }
  return lock;
}

}  // namespace

OneCommand::OneCommand() : lock_(one_command()) {
  state().command_thread = std::this_thread::get_id();
}

OneCommand::~OneCommand() { state().command_thread = std::thread::id(); }

}  // namespace tutti::v1
