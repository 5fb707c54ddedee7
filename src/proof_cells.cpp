#include "src/proof_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "schedules/error.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "src/human.hpp"

namespace tutti {

namespace {

// Of the same order for messages of some kilobytes, so that no term hides the others.
constexpr Prices kTestPrices{.alpha_s = 1e-6, .beta_s_per_byte = 1e-9, .gamma_s_per_byte = 7e-10};
constexpr double kClosedFormTolerance = 1e-9;

void compare_closed_form(const ProofCell& cell, const Schedule& schedule, Verdict& verdict) {
  if (cell.algorithm->exact_s == nullptr || !schedule.layout().uniform()) {
    return;
  }
  const auto exact_s = cell.algorithm->exact_s(cell.problem, kTestPrices);
  if (!exact_s) {
    return;
  }
  const double path_s = CriticalPathEngine(kTestPrices).run(schedule, {.ports = 1}).total_s;
  if (std::abs(path_s - *exact_s) > kClosedFormTolerance * std::max(path_s, *exact_s)) {
    ++verdict.counts[static_cast<std::size_t>(FindingKind::claim)];
    verdict.findings.push_back(
        {FindingKind::claim,
         fmt::format("the closed form gives {}, but the longest path takes {} (alpha 1 us, beta "
                     "1 ns, gamma 0.7 ns per byte)",
                     human_time(*exact_s), human_time(path_s))});
  }
}

}  // namespace

ProofOutcome prove(const ProofCell& cell) {
  ProofOutcome outcome;
  try {
    const Schedule schedule = make_schedule(*cell.algorithm, cell.problem);
    VerifyOptions options;
    options.claims = claims_of(*cell.algorithm, cell.problem);
    outcome.verdict = verify(schedule, options);
    compare_closed_form(cell, schedule, outcome.verdict);
  } catch (const UserError& error) {
    outcome.refusal = error.what();
  }
  return outcome;
}

std::vector<ProofOutcome> prove_all(const std::vector<ProofCell>& cells,
                                    const std::function<void(std::size_t)>& progress) {
  std::vector<ProofOutcome> outcomes(cells.size());
  // The largest first, so that no processor is left alone with one at the end.
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cells[a].problem.ranks > cells[b].problem.ranks;
  });

  std::mutex mutex;
  std::condition_variable changed;
  std::exception_ptr failure;
  std::size_t running = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1,
                                                std::max<std::size_t>(1, cells.size()));
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < order.size(); i = next++) {
        outcomes[order[i]] = prove(cells[order[i]]);
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
  for (std::size_t i = running; i > 0; --i) {
    threads.emplace_back(work);
  }
  for (std::unique_lock lock(mutex); running > 0;) {
    if (changed.wait_for(lock, std::chrono::milliseconds(100)) == std::cv_status::timeout) {
      progress(done);
    }
  }
  threads.clear();  // joins
  if (failure) {
    std::rethrow_exception(failure);
  }
  return outcomes;
}

}  // namespace tutti
