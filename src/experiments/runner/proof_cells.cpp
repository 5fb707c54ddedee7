#include "src/experiments/runner/proof_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <ranges>
#include <thread>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/messages.hpp"
#include "base/parallel.hpp"
#include "base/printable.hpp"
#include "schedules/accesses.hpp"
#include "schedules/equal_blocks.hpp"
#include "schedules/notation/notation_error.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "src/formats/progress.hpp"
#include "src/requests/schedule_file.hpp"

namespace tutti { inline namespace experiments {

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

// The rounds after which the blocks of all ranks were last written and read.
class BlockRounds {
 public:
  explicit BlockRounds(std::uint32_t places) : of_place_(places) {}

  // First round in which the operation may run.
  std::uint32_t ready(const Schedule& schedule, OpId id) {
    std::uint32_t round = 0;
    visit(schedule, id, [&](const Times& times, Access access) {
      round = std::max({round, times.written, writes(access) ? times.read : 0});
    });
    return round;
  }
  // Stores that the operation ends before round `end`.
  void touch(const Schedule& schedule, OpId id, std::uint32_t end) {
    visit(schedule, id, [&](Times& times, Access access) {
      std::uint32_t& time = writes(access) ? times.written : times.read;
      time = std::max(time, end);
    });
  }

 private:
  struct Times {
    std::uint32_t written = 0;
    std::uint32_t read = 0;
  };

  template <typename Visit>
  void visit(const Schedule& schedule, OpId id, Visit&& each) {
    const auto at_rank = [&](Rank rank) {
      for_each_access(schedule, id, rank,
                      [&](Buffer buffer, std::uint32_t first, std::uint32_t count, Access access) {
                        auto& blocks = of_place_[rank][static_cast<std::size_t>(buffer)];
                        if (blocks.size() < std::size_t{first} + count) {
                          blocks.resize(std::size_t{first} + count);
                        }
                        for (std::uint32_t block = first; block < first + count; ++block) {
                          each(blocks[block], access);
                        }
                      });
    };
    const Op& op = schedule.op(id);
    at_rank(op.src());
    if (op.dst() != op.src()) {
      at_rank(op.dst());
    }
  }

  std::vector<std::array<std::vector<Times>, 3>> of_place_;  // by buffer and block
};

}  // namespace

MessageChain message_chain(const Schedule& schedule) {
  TUTTI_INVARIANT(schedule.has_payload());
  MessageChain chain;
  std::vector<std::uint32_t> messages(schedule.size());  // up to and with each operation
  BlockRounds blocks(schedule.places());
  std::vector<std::uint32_t> out(schedule.places());  // first round in which the port is free
  std::vector<std::uint32_t> in(schedule.places());
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    for (const OpId before : schedule.predecessors(id)) {
      messages[id] = std::max(messages[id], messages[before]);
    }
    std::uint32_t end = blocks.ready(schedule, id);
    if (op.is_comm()) {
      ++messages[id];
      end = std::max({end, out[op.src()], in[op.dst()]}) + 1;
      out[op.src()] = in[op.dst()] = end;
    }
    blocks.touch(schedule, id, end);
    chain.messages = std::max(chain.messages, messages[id]);
    chain.rounds_for_data = std::max(chain.rounds_for_data, end);
  }
  return chain;
}

ProofOutcome prove(const ProofCell& cell) {
  if (cell.refusal) {
    return {cell.refusal, {}};
  }
  ProofOutcome outcome;
  try {
    if (const Program* const program = cell.algorithm->program;
        program != nullptr && program->written() != nullptr) {
      check(*cell.algorithm, cell.problem);
      outcome.verdict = program->written()->prove(cell.problem);
      return outcome;
    }
    const Schedule schedule = make_schedule(*cell.algorithm, cell.problem);
    if (cell.algorithm->program != nullptr) {
      check_proof_fits(schedule, cell.algorithm->program->file());
    }
    VerifyOptions options;
    options.claims = claims_of(*cell.algorithm, cell.problem);
    outcome.verdict = verify(schedule, options);
    compare_closed_form(cell, schedule, outcome.verdict);
    if (cell.algorithm->program != nullptr && outcome.verdict.proved() &&
        cell.problem.collective != Collective::barrier) {
      outcome.chain = message_chain(schedule);
    }
  } catch (const NotationError&) {
    throw;  // a program with an error is not a refusal
  } catch (const UserError& error) {
    outcome.refusal = error.what();
  }
  return outcome;
}

namespace {

// Throws the NotationError for the smallest number of ranks that causes one, because it is the
// easiest to understand.
void throw_for_fewest_ranks(const std::vector<ProofCell>& cells) {
  std::vector<const ProofCell*> order;
  for (const ProofCell& cell : cells | std::views::reverse) {
    order.push_back(&cell);
  }
  std::ranges::stable_sort(order, {}, [](const ProofCell* cell) { return cell->problem.ranks; });
  for (const ProofCell* const cell : order) {
    try {
      if (!cell->refusal) {
        (void)make_schedule(*cell->algorithm, cell->problem);
      }
    } catch (const NotationError&) {
      throw;
    } catch (const UserError&) {
      continue;  // the algorithm refuses this problem
    }
  }
}

}  // namespace

std::vector<ProofOutcome> prove_all(const std::vector<ProofCell>& cells,
                                    const std::function<void(std::size_t)>& progress) {
  const ParallelWork work{.jobs = std::max(1U, std::thread::hardware_concurrency()),
                          .expected_work = [&](std::size_t i) { return cells[i].problem.ranks; },
                          .progress = progress};
  std::atomic<bool> is_invalid = false;  // a program has an error: the other proofs are not needed
  try {
    return map_parallel(cells.size(), work, [&](std::size_t i) {
      try {
        return is_invalid ? ProofOutcome() : prove(cells[i]);
      } catch (const NotationError&) {
        is_invalid = true;
        throw;
      }
    });
  } catch (const NotationError&) {
    throw_for_fewest_ranks(cells);
    throw;
  }
}

bool prove_programs(const std::vector<ProofCell>& cells, Messages& messages,
                    const std::function<void(std::size_t, const std::string&)>& refused,
                    bool with_blocks) {
  Progress progress("proving", "schedule", cells.size(), messages);
  const auto proofs = prove_all(cells, [&](std::size_t done) { progress.show(done); });
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (const auto& refusal = proofs[i].refusal) {
      refused(i, *refusal);
      continue;
    }
    const std::string& file = cells[i].algorithm->program->file(cells[i].problem);
    if (!proved_or_explained(proofs[i].verdict, file, messages)) {
      return false;
    }
    if (with_blocks && !proofs[i].verdict.proved()) {
      messages.error(fmt::format(
          "'{}' does not say which blocks its messages have, so it cannot be proved, and is not "
          "ranked among schedules that are ('tutti compare' times it; $no_verify continues anyway)",
          printable(file)));
      return false;
    }
  }
  return true;
}

}}  // namespace tutti::experiments
