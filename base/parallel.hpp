// Many tasks on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace tutti::inline base {

// Calls task(worker, i) for each i of `order`, begun in that order, on `workers` threads at most;
// a worker, counted from 0, does one task at a time. Calls progress(done) from this thread, about
// ten times a second. Throws what a task threw, once the others that had begun are over.
void run_parallel(const std::vector<std::size_t>& order, std::size_t workers,
                  const std::function<void(std::size_t worker, std::size_t i)>& task,
                  const std::function<void(std::size_t done)>& progress);

}  // namespace tutti::inline base
