// What the command line asks for, read once: ranges of ranks and of sizes, and what all of their
// problems have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/requests/problem_template.hpp"

namespace tutti::inline requests {

// What a command takes beyond single values.
struct RequestForm {
  bool lists = false;         // -p and -n are lists
  bool all_roots = false;     // --root all
  bool best_segment = false;  // --segment auto: the command has prices to find the size with
  unsigned all_values = 0;    // bits of options that may have several values, or `all`
};

struct ProblemRequest {
  std::vector<std::uint32_t> ranks;  // empty where not given
  std::vector<std::uint64_t> bytes;  // likewise
  bool all_roots = false;
  unsigned all_values = 0;       // bits of options whose value is `all`; they count as not given
  std::vector<SaidOption> said;  // all options of algorithms, as they were given
  ProblemTemplate each;

  // The sizes, or the one that is not said.
  [[nodiscard]] std::vector<std::optional<std::uint64_t>> sizes() const;
};

// For one algorithm alone, throws UserError for an option that it does not take; for several, those
// that none of them takes are left to ProblemOptions::refuse_what_none_takes(). Throws UserError
// for what cannot be read.
[[nodiscard]] ProblemRequest parse_request(const ProblemOptions& options,
                                           std::span<const Algorithm* const> algorithms,
                                           const RequestForm& form);

// One problem of one algorithm. `finds_segment`: --segment auto has a meaning, and the problem then
// has no segment yet.
[[nodiscard]] Problem parse_problem(const ProblemOptions& options, const Algorithm& algorithm,
                                    bool finds_segment);
// Likewise of one algorithm that stands beside another: each gets the options that apply to it.
// Throws UserError for one that neither takes.
[[nodiscard]] Problem parse_problem_beside(const ProblemOptions& options,
                                           const Algorithm& algorithm, const Algorithm& other);

}  // namespace tutti::inline requests
