// Runs many tasks on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

namespace tutti { inline namespace base {

struct ParallelWork {
  std::size_t jobs = 1;  // greatest number of threads
  // Expected work of task i, in any unit. Tasks with more work begin first, so that no long task is
  // left to a single thread at the end. Without it, tasks begin in the order of their numbers.
  std::function<double(std::size_t i)> expected_work = {};
  // Called about ten times a second on the calling thread, with the number of tasks that have
  // ended.
  std::function<void(std::size_t done)> progress = {};
};

// Calls task(i) for each i below `count`. If tasks throw, rethrows the exception of the lowest i,
// as a loop would: after an exception, only tasks with lower numbers begin. If a task throws
// Stopped, or the work of this process must end (stop_if_requested()), no further task begins, and
// the function throws Stopped. In all cases, it returns or throws only when no task is running. A
// single thread without progress is the calling thread.
void for_each_parallel(std::size_t count, const ParallelWork& work,
                       const std::function<void(std::size_t i)>& task);

// Same, but calls task(worker, i) with the number of the thread, which is less than `work.jobs`.
void for_each_parallel(std::size_t count, const ParallelWork& work,
                       const std::function<void(std::size_t worker, std::size_t i)>& task);

// Returns the values make(i) for each i below `count`, in the order of i.
template <typename Make>
[[nodiscard]] auto map_parallel(std::size_t count, const ParallelWork& work, const Make& make) {
  using Value = std::invoke_result_t<const Make&, std::size_t>;
  static_assert(!std::is_same_v<Value, bool>, "threads cannot write bits of one vector<bool>");
  std::vector<Value> values(count);
  for_each_parallel(count, work, [&](std::size_t i) { values[i] = make(i); });
  return values;
}

}}  // namespace tutti::base
