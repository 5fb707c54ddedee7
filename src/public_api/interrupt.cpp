#include <mutex>
#include <new>
#include <pthread.h>

#include "src/public_api/inside.hpp"

namespace tutti::v1 {

namespace {

// State of this process. A process that is forked while a function runs, such as a worker of
// Python's ProcessPoolExecutor, begins with a new state: the threads that held the locks are not
// there.
struct ProcessState {
  std::mutex running_mutex;
  std::size_t running = 0;
  std::mutex command_mutex;
};

ProcessState& state() {
  static ProcessState& one = *[] {
    alignas(ProcessState) static unsigned char room[sizeof(ProcessState)];
    static ProcessState* const made = new (room) ProcessState;
    pthread_atfork(nullptr, nullptr, [] {
      new (room) ProcessState;
      stop_asked = false;
    });
    return made;
  }();
  return one;
}

}  // namespace

void interrupt() noexcept { stop_asked = true; }

Running::Running() {
  const std::lock_guard lock(state().running_mutex);
  if (state().running++ == 0) {
    stop_asked = false;  // an interrupt() while nothing ran
  }
}

Running::~Running() {
  const std::lock_guard lock(state().running_mutex);
  --state().running;
}

std::unique_lock<std::mutex> one_command() { return std::unique_lock(state().command_mutex); }

}  // namespace tutti::v1
