#include "base/parallel.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/work_ticker.hpp"

namespace tutti::test_parallel { namespace {

TEST_CASE("values are in the order of their numbers, whichever thread makes them first") {
  const std::size_t jobs = GENERATE(1U, 2U, 8U);
  const ParallelWork work{.jobs = jobs, .expected_work = [](std::size_t i) { return double(i); }};
  const std::vector<std::size_t> values =
      map_parallel(100, work, [](std::size_t i) { return i * i; });
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK(values[i] == i * i);
  }
  CHECK(map_parallel(0, work, [](std::size_t i) { return i; }).empty());
}

TEST_CASE("tasks with more expected work begin first, equal ones in the order of their numbers") {
  std::vector<std::size_t> begun;
  const std::vector<double> expected{1, 5, 1, 7, 5};
  for_each_parallel(5, {.expected_work = [&](std::size_t i) { return expected[i]; }},
                    [&](std::size_t i) { begun.push_back(i); });
  CHECK(begun == std::vector<std::size_t>{3, 1, 4, 0, 2});
}

TEST_CASE("the exception of the lowest number is thrown, as by a loop") {
  const std::size_t jobs = GENERATE(1U, 3U);
  std::atomic<std::size_t> late = 0;
  const auto task = [&](std::size_t i) {
    late += i > 90 ? 1 : 0;
    if (i == 40 || i >= 60) {
      throw std::runtime_error(std::to_string(i));
    }
  };
  // The highest number begins first; afterwards, only lower ones may begin.
  const ParallelWork work{.jobs = jobs, .expected_work = [](std::size_t i) { return double(i); }};
  CHECK_THROWS_WITH(for_each_parallel(100, work, task), "40");
  CHECK(late <= 9);
  late = 0;
  CHECK_THROWS_WITH(for_each_parallel(100, {.jobs = jobs}, task), "40");
  CHECK(late == 0);
}

TEST_CASE("of two exceptions, the later one is not thrown if its number is higher") {
  std::atomic<int> begun = 0;
  const auto task = [&](std::size_t i) {
    ++begun;
    while (begun < 2) {
      std::this_thread::yield();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(i * 50));
    throw std::runtime_error(std::to_string(i));
  };
  CHECK_THROWS_WITH(for_each_parallel(2, {.jobs = 2}, task), "0");
}

TEST_CASE("no task begins when the work must end") {
  const std::size_t jobs = GENERATE(1U, 3U);
  std::atomic<std::size_t> begun = 0;
  const auto task = [&](std::size_t) {
    if (++begun == 5) {
      stop_requested = true;
    }
  };
  CHECK_THROWS_AS(for_each_parallel(1000, {.jobs = jobs}, task), Cancellation);
  stop_requested = false;
  CHECK(begun < 5 + jobs);
}

TEST_CASE("each thread has its own number, and progress is shown on the calling thread") {
  std::vector<std::atomic<int>> running(4);
  std::atomic<bool> shared = false;
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<std::size_t> shown;
  const ParallelWork work{.jobs = 4, .progress = [&](std::size_t done) {
                            CHECK(std::this_thread::get_id() == caller);
                            shown.push_back(done);
                          }};
  for_each_parallel(24, work, [&](std::size_t worker, std::size_t) {
    shared = shared || ++running.at(worker) != 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    --running.at(worker);
  });
  CHECK(!shared);
  CHECK(shown.size() >= 2);
  CHECK(std::is_sorted(shown.begin(), shown.end()));
}

}}  // namespace tutti::test_parallel
