// Runs many tasks on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace tutti { inline namespace base {

// Calls task(worker, i) for each index i in `order`, on at most `workers` threads. Tasks begin in
// that order. `worker` is the number of the thread, counted from 0. Calls progress(done) on the
// calling thread about ten times a second; `done` is the number of tasks that have ended. If a task
// throws, no further task begins, and the exception is rethrown once all running tasks have ended.
void run_parallel(const std::vector<std::size_t>& order, std::size_t workers,
                  const std::function<void(std::size_t worker, std::size_t i)>& task,
                  const std::function<void(std::size_t done)>& progress);

}}  // namespace tutti::base
