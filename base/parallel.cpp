#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace tutti { inline namespace base {

void run_parallel(const std::vector<std::size_t>& order, std::size_t workers,
                  const std::function<void(std::size_t, std::size_t)>& task,
                  const std::function<void(std::size_t)>& progress) {
  std::mutex mutex;
  std::condition_variable changed;
  std::exception_ptr failure;
  std::size_t running = std::clamp<std::size_t>(workers, 1, std::max<std::size_t>(1, order.size()));
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  const auto work = [&](std::size_t worker) {
    try {
      for (std::size_t i = next++; i < order.size(); i = next++) {
        task(worker, order[i]);
        ++done;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = order.size();
    }
    const std::lock_guard lock(mutex);
    --running;
    changed.notify_one();
  };
  std::vector<std::jthread> threads;
  for (std::size_t worker = 0, all = running; worker < all; ++worker) {
    try {
      threads.emplace_back(work, worker);
      // If no more threads can be started, those that run do all the work.
    } catch (const std::system_error&) {
      if (threads.empty()) {
        throw;
      }
      const std::lock_guard lock(mutex);
      running -= all - worker;
      break;
    }
  }
  {
    std::unique_lock lock(mutex);
    while (running > 0) {
      if (changed.wait_for(lock, std::chrono::milliseconds(100)) == std::cv_status::timeout) {
        progress(done);
      }
    }
  }
  threads.clear();  // joins all threads
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}}  // namespace tutti::base
