// A comparison: one run of each contender for each number of ranks and each size.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/requests/common_options.hpp"
#include "src/requests/problem_request.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/outcome.hpp"

namespace tutti { inline namespace experiments {

class Runner;

// An algorithm or, if several variants of the algorithm are compared, one of these variants.
struct Contender {
  const Algorithm* algorithm = nullptr;
  ProblemTemplate problem_template;
  // Name for display: "ring", or "circulant, sqrt skips" for one of several variants.
  std::string label;
  // True if each run gets the best skips for its machine, which the caller of prepare_comparison()
  // finds.
  bool finds_skips = false;
};

struct Comparison {
  Collective collective = Collective::allreduce;
  std::vector<Contender> contenders;
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint64_t> sizes_bytes;
  std::vector<Machine> machines;  // one per entry of `ranks`; the runs point to these machines
  // True if the user gave --segment auto, so that each run has its own segment size.
  bool finds_segments = false;
  std::vector<CaseRun> runs;  // ordered by ranks, then sizes, then contenders

  [[nodiscard]] const Contender& contender_of(std::size_t run) const {
    return contenders[run % contenders.size()];
  }
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
// Returns the algorithms in `only` or, if `only` is empty, all built-in algorithms for the
// collective. Adds `programs`, the algorithms that users wrote as programs. If `only` is empty,
// in-network algorithms take part only if the machine has switches for them. Throws UserError if no
// algorithm is left.
[[nodiscard]] std::vector<const Algorithm*> algorithms_to_compare(
    Collective collective, const OpenedMachine& machine,
    std::span<const Algorithm* const> programs = {}, std::span<const Algorithm* const> only = {});

// Returns a comparison in which nothing has run yet, but the refused cases already have their
// refusals. Throws UserError for bad input, if every run is refused, or if the user gave an option
// and every run to which it applies is refused.
[[nodiscard]] Comparison prepare_comparison(ComparisonRequest request);
// Runs every case that is not refused. Afterwards, in each cell where tie-breaking may decide which
// contender is the fastest, runs the fastest contenders again (see tie_runs.hpp).
void run(Comparison& comparison, Runner& runner);
// Calls Limits::put_in() for all results. run() calls this.
void find_limits(Comparison& comparison);

// Returns a case that has a problem, but no machine, and has not run yet. Its outcome is a refusal
// if the algorithm does not support the problem. Throws UserError for options that are invalid with
// every algorithm.
[[nodiscard]] CaseRun first_look(const Contender& contender, std::uint32_t ranks,
                                 std::optional<std::uint64_t> bytes);

}}  // namespace tutti::experiments
