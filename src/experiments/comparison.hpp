// A comparison: one run of each algorithm at each number of ranks and each size.
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
  // "ring"; "circulant, sqrt skips" if several variants of an algorithm are compared.
  std::string label;
};

struct Comparison {
  Collective collective = Collective::allreduce;
  std::vector<Contender> contenders;
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint64_t> sizes_bytes;
  std::vector<Machine> machines;  // one per entry of `ranks`; the runs point to them
  // True with --segment auto: each run has its own segment size.
  bool finds_segments = false;
  std::vector<CaseRun> runs;  // ordered by ranks, then sizes, then contenders

  [[nodiscard]] const CaseRun& run(std::size_t rank, std::size_t size,
                                   std::size_t contender) const {
    return runs[(rank * sizes_bytes.size() + size) * contenders.size() + contender];
  }
};

// Input of prepare_comparison().
struct ComparisonRequest {
  Collective collective = Collective::allreduce;
  std::vector<const Algorithm*> algorithms;
  ProblemRequest problems;
  OpenedMachine machine;
};
// Returns the algorithms of `only` (if `only` is empty: all built-in algorithms for the
// collective), and the algorithms of `programs`, which users wrote. If `only` is empty, in-network
// algorithms take part only if the machine has switches for them. Throws UserError if no algorithm
// is left.
[[nodiscard]] std::vector<const Algorithm*> algorithms_to_compare(
    Collective collective, const OpenedMachine& machine,
    std::span<const Algorithm* const> programs = {}, std::span<const Algorithm* const> only = {});

// Returns a comparison in which nothing has run yet, but the refused cases already have their
// refusals. Throws UserError for bad input, if every run is refused, or if every run to which a
// given option applies is refused.
[[nodiscard]] Comparison prepare_comparison(ComparisonRequest request);
// Runs every case that is not refused. In each cell where tie-breaking may decide which contender
// is the fastest, then runs the fastest contenders again (see tie_runs.hpp).
void run(Comparison& comparison, Runner& runner);

// Returns a case that has not run yet. It has a problem, and a refusal if the algorithm does not
// support this problem, but no machine. Throws UserError for options that are invalid with every
// algorithm.
[[nodiscard]] CaseRun first_look(const Contender& contender, std::uint32_t ranks,
                                 std::optional<std::uint64_t> bytes);

}  // namespace tutti::inline experiments
