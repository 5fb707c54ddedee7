// Many runs, to be set side by side: each algorithm at each number of ranks and each size.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "simulation/machine.hpp"
#include "simulation/run_result.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/machine_options.hpp"
#include "src/requests/problem_template.hpp"

namespace tutti {

// An algorithm, or one way to run it.
struct Contender {
  const Algorithm* algorithm = nullptr;
  ProblemTemplate asked;
  std::string label;  // "ring"; "circulant, sqrt" where several ways to run it are compared
};

struct Comparison {
  Collective collective = Collective::allreduce;
  std::vector<Contender> contenders;
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint64_t> sizes_bytes;
  std::vector<Machine> machines;     // one for each of `ranks`
  bool finds_segments = false;       // --segment auto: each outcome has a size of its own
  std::vector<RunOutcome> outcomes;  // by ranks, then sizes, then contenders

  [[nodiscard]] const RunOutcome& outcome(std::size_t rank, std::size_t size,
                                          std::size_t contender) const {
    return outcomes[(rank * sizes_bytes.size() + size) * contenders.size() + contender];
  }
  [[nodiscard]] const Machine& machine_of(std::size_t outcome_index) const {
    return machines[outcome_index / (sizes_bytes.size() * contenders.size())];
  }
};

// Everything but the results: what will be run, `programs` that users have written among it, and
// what is refused. Throws UserError for bad
// input, for an option that nobody takes, and where an option, or everything, comes to nothing but
// refusals.
[[nodiscard]] Comparison prepare_comparison(Collective collective, const ProblemOptions& problem,
                                            const MachineOptions& machine,
                                            std::span<const Algorithm* const> programs = {});

// Runs what is not refused, on `jobs` processors. A run that turns out to be bad input becomes a
// refusal; one that is lost, because its process died or memory ran out, is marked as failed. Each
// of them leaves the others alone.
void run_comparison(Comparison& comparison, std::size_t jobs,
                    const std::function<void(std::size_t done)>& progress);
// What takes longer to simulate has more, as far as can be known: only the order of work, and the
// time that is left, depend on it.
[[nodiscard]] double expected_work(const RunOutcome& outcome);
[[nodiscard]] std::size_t runs_to_do(const Comparison& comparison);

// What can be known before a run: the problem, or why it is refused. Throws UserError for options
// that are no good whatever the algorithm.
[[nodiscard]] RunOutcome first_look(const Contender& contender, std::uint32_t ranks,
                                    std::optional<std::uint64_t> bytes);

// Any runs: each outcome on one of several machines, all of the same platform.
struct Runs {
  std::vector<RunOutcome>& outcomes;
  const std::vector<Machine>& machines;
  std::vector<std::uint32_t> machine_of;  // for each outcome, which machine
};
[[nodiscard]] Runs runs_of(Comparison& comparison);
// As run_comparison(), but throws what became of the first run that is lost.
void run_all(const Runs& runs, std::size_t jobs,
             const std::function<void(std::size_t done)>& progress);

}  // namespace tutti
