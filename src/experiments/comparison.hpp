// Many runs, to be set side by side: each algorithm at each number of ranks and each size.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/requests/common_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti::inline experiments {

class Runner;

// An algorithm, or one way to run it.
struct Contender {
  const Algorithm* algorithm = nullptr;
  ProblemTemplate asked;
  std::string label;  // "ring"; "circulant, sqrt skips" where several ways to run it are compared
};

struct Comparison {
  Collective collective = Collective::allreduce;
  std::vector<Contender> contenders;
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint64_t> sizes_bytes;
  std::vector<Machine> machines;  // one for each of `ranks`; cases point to them
  bool finds_segments = false;    // --segment auto: each case has a size of its own
  std::vector<CaseRun> runs;      // by ranks, then sizes, then contenders

  [[nodiscard]] const CaseRun& run(std::size_t rank, std::size_t size,
                                   std::size_t contender) const {
    return runs[(rank * sizes_bytes.size() + size) * contenders.size() + contender];
  }
};

// What is to be compared.
struct ComparisonRequest {
  Collective collective = Collective::allreduce;
  std::vector<const Algorithm*> algorithms;
  ProblemRequest problems;
  OpenedMachine machine;
};
// All algorithms of a collective that the machine has switches for, unless `only` names some; and
// `programs` that users have written. Throws UserError where there is none.
[[nodiscard]] std::vector<const Algorithm*> algorithms_to_compare(
    Collective collective, const OpenedMachine& machine,
    std::span<const Algorithm* const> programs = {}, std::span<const Algorithm* const> only = {});

// Everything but the results: what will be run, and what is refused. Throws UserError for bad
// input, and where an option, or everything, comes to nothing but refusals.
[[nodiscard]] Comparison prepare_comparison(ComparisonRequest request);
// Runs it all, and again what leads where ties may decide.
void run(Comparison& comparison, Runner& runner);

// What can be known before a run: the problem, or why it is refused; the machine is not filled in.
// Throws UserError for options that are no good whatever the algorithm.
[[nodiscard]] CaseRun first_look(const Contender& contender, std::uint32_t ranks,
                                 std::optional<std::uint64_t> bytes);

}  // namespace tutti::inline experiments
