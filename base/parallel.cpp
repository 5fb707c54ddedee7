#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>

#include "base/work_ticker.hpp"

namespace tutti { inline namespace base {

namespace {

std::vector<std::size_t> most_work_first(std::size_t count,
                                         const std::function<double(std::size_t)>& expected_work) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (expected_work) {
    std::vector<double> expected(count);
    std::ranges::transform(order, expected.begin(), expected_work);
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return expected[i]; });
  }
  return order;
}

// The tasks that have not begun, and what those that have ended have thrown.
class TaskQueue {
 public:
  using Task = std::function<void(std::size_t worker, std::size_t i)>;

  TaskQueue(std::vector<std::size_t> order, const Task& task)
      : order_(std::move(order)), task_(task) {}

  // Runs tasks until none is left.
  void work(std::size_t worker) {
    for (std::size_t next = next_++; next < order_.size(); next = next_++) {
      const std::size_t i = order_[next];
      if (i > lowest_failed_) {
        continue;
      }
      try {
        stop_if_requested();
        task_(worker, i);
        ++done_;
      } catch (const Cancellation&) {
        next_ = order_.size();
        stopped_ = true;
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (i < lowest_failed_) {
          lowest_failed_ = i;
          failure_ = std::current_exception();
        }
      }
    }
  }

  [[nodiscard]] std::size_t done() const { return done_; }

  void rethrow_failure() const {
    if (stopped_) {
      throw Cancellation();
    }
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  std::vector<std::size_t> order_;
  const Task& task_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<std::size_t> lowest_failed_ = std::numeric_limits<std::size_t>::max();
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

// Runs the tasks of `queue` on at most `workers` threads.
void work_on_threads(TaskQueue& queue, std::size_t workers,
                     const std::function<void(std::size_t)>& progress) {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t running = workers;
  std::vector<std::jthread> threads;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    try {
      threads.emplace_back([&, worker] {
        queue.work(worker);
        const std::lock_guard lock(mutex);
        --running;
        changed.notify_one();
      });
      // If no more threads can be started, those that run do all the work.
    } catch (const std::system_error&) {
      if (threads.empty()) {
        throw;
      }
      const std::lock_guard lock(mutex);
      running -= workers - worker;
      break;
    }
  }
  std::unique_lock lock(mutex);
  while (running > 0) {
    if (changed.wait_for(lock, std::chrono::milliseconds(100)) == std::cv_status::timeout &&
        progress) {
      progress(queue.done());
    }
  }
}

}  // namespace

void for_each_parallel(std::size_t count, const ParallelWork& work,
                       const std::function<void(std::size_t, std::size_t)>& task) {
  TaskQueue queue(most_work_first(count, work.expected_work), task);
  const std::size_t workers = std::min(std::max<std::size_t>(1, work.jobs), count);
  if (workers <= 1 && !work.progress) {
    queue.work(0);
  } else {
    work_on_threads(queue, workers, work.progress);
  }
  queue.rethrow_failure();
}

void for_each_parallel(std::size_t count, const ParallelWork& work,
                       const std::function<void(std::size_t)>& task) {
  for_each_parallel(count, work, [&](std::size_t, std::size_t i) { task(i); });
}

}}  // namespace tutti::base
