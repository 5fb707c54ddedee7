#include <mutex>

#include "src/public_api/inside.hpp"

namespace tutti::v1 {

namespace {

std::mutex running_mutex;
std::size_t running = 0;

}  // namespace

void interrupt() noexcept { stop_asked = true; }

Running::Running() {
  const std::lock_guard lock(running_mutex);
  if (running++ == 0) {
    stop_asked = false;  // an interrupt() while nothing ran
  }
}

Running::~Running() {
  const std::lock_guard lock(running_mutex);
  --running;
}

}  // namespace tutti::v1
