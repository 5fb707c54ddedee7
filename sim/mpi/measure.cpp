#include "sim/mpi/measure.hpp"

#include <algorithm>

namespace tutti::mpi {

namespace {

template <typename Run>
double timed(const World& world, Executor& executor, Run&& run) {
  executor.reset_buffers();
  world.barrier();
  const double start_s = now_s();
  run();
  return now_s() - start_s;
}

// Lists of equal length, one after the other.
std::vector<double> slowest(const std::vector<double>& all, std::size_t length) {
  std::vector<double> most(all.empty() ? 0 : length, 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    most[i % length] = std::max(most[i % length], all[i]);
  }
  return most;
}

}  // namespace

Measured measure(Executor& executor, const World& world, const MeasureOptions& options) {
  std::vector<double> ours_s;
  std::vector<double> library_s;
  for (std::uint32_t i = 0; i < options.warmup + options.iterations; ++i) {
    double library = 0;
    if (options.library != nullptr) {
      library = timed(world, executor,
                      [&] { options.library->run_blocking(executor.input(), executor.work()); });
    }
    const double ours = timed(world, executor, [&] { executor.run(); });
    if (i >= options.warmup) {
      ours_s.push_back(ours);
      if (options.library != nullptr) {
        library_s.push_back(library);
      }
    }
  }
  return {slowest(world.gather(ours_s), ours_s.size()),
          slowest(world.gather(library_s), library_s.size())};
}

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle),
                   values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) {
    return upper;
  }
  return (upper +
          *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle))) /
         2;
}

}  // namespace tutti::mpi
