#include "src/experiments/proof_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/parallel.hpp"
#include "schedules/equal_blocks.hpp"
#include "schedules/notation/notation_error.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "src/requests/schedule_file.hpp"

namespace tutti::inline experiments {

namespace {

// With these prices and with messages of a few kilobytes, all terms of a closed form have the same
// order of magnitude, so that no term hides an error in another.
constexpr Prices kTestPrices{.alpha_s = 1e-6, .beta_s_per_byte = 1e-9, .gamma_s_per_byte = 7e-10};
constexpr double kClosedFormTolerance = 1e-9;

void compare_closed_form(const ProofCell& cell, const Schedule& schedule, Verdict& verdict) {
  if (cell.algorithm->exact_s == nullptr || !equal_blocks(cell.problem, schedule.layout())) {
    return;
  }
  const auto exact_s = cell.algorithm->exact_s(cell.problem, kTestPrices);
  if (!exact_s) {
    return;
  }
  const double path_s = CriticalPathEngine(kTestPrices).run_total(schedule, {.ports = 1}).total_s;
  // The comparison is negated, so that NaN counts as a mismatch.
  if (!(std::abs(path_s - *exact_s) <= kClosedFormTolerance * std::max(path_s, *exact_s))) {
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
  if (cell.refusal) {
    return {cell.refusal, {}};
  }
  ProofOutcome outcome;
  try {
    const Schedule schedule = make_schedule(*cell.algorithm, cell.problem);
    if (cell.algorithm->program != nullptr) {
      check_proof_fits(schedule, cell.algorithm->program->file());
    }
    VerifyOptions options;
    options.claims = claims_of(*cell.algorithm, cell.problem);
    outcome.verdict = verify(schedule, options);
    compare_closed_form(cell, schedule, outcome.verdict);
  } catch (const NotationError&) {
    throw;  // a program with an error is not a refusal
  } catch (const UserError& error) {
    outcome.refusal = error.what();
  }
  return outcome;
}

std::vector<ProofOutcome> prove_all(const std::vector<ProofCell>& cells,
                                    const std::function<void(std::size_t)>& progress) {
  std::vector<ProofOutcome> outcomes(cells.size());
  // The largest proofs begin first, so that no large proof is left to a single processor at the
  // end.
  std::vector<std::size_t> order(cells.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cells[a].problem.ranks > cells[b].problem.ranks;
  });

  try {
    run_parallel(
        order, std::max(1U, std::thread::hardware_concurrency()),
        [&](std::size_t, std::size_t cell) { outcomes[cell] = prove(cells[cell]); }, progress);
  } catch (const NotationError&) {
    // Report the error for the smallest number of ranks that causes one, because it is the easiest
    // to understand.
    for (auto cell = order.rbegin(); cell != order.rend(); ++cell) {
      try {
        if (!cells[*cell].refusal) {
          (void)make_schedule(*cells[*cell].algorithm, cells[*cell].problem);
        }
      } catch (const NotationError&) {
        throw;
      } catch (const UserError&) {
        continue;  // the algorithm refuses this problem
      }
    }
    throw;
  }
  return outcomes;
}

}  // namespace tutti::inline experiments
