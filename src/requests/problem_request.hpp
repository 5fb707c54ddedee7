// The problems that the command line asks for: lists of ranks and of sizes, and what all the
// problems have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/requests/problem_template.hpp"

namespace tutti::inline requests {

// The options for which a command accepts more than a single value.
struct RequestForm {
  bool lists = false;      // -p and -n are lists
  bool all_roots = false;  // --root may be `all`
  // --segment may be `auto`: the command has prices, from which the best size can be found.
  bool best_segment = false;
  unsigned all_values = 0;  // bits of options that may have several values, or `all`
};

struct ProblemRequest {
  std::vector<std::uint32_t> ranks;  // empty if not given
  std::vector<std::uint64_t> bytes;  // empty if not given
  bool all_roots = false;
  // Bits of options whose value is `all`. These options count as not given.
  unsigned all_values = 0;
  std::vector<SaidOption> said;  // all options of algorithms, as they were given
  ProblemTemplate each;

  // Returns the sizes; a single empty value if no size was given.
  [[nodiscard]] std::vector<std::optional<std::uint64_t>> sizes() const;
};

// Parses the options. Throws UserError for an invalid value and, with a single algorithm, for an
// option that it does not take. With several algorithms, the caller must reject the options that
// none of them takes (ProblemOptions::refuse_what_none_takes()).
[[nodiscard]] ProblemRequest parse_request(const ProblemOptions& options,
                                           std::span<const Algorithm* const> algorithms,
                                           const RequestForm& form);

// Parses the problem of one algorithm. `finds_segment` allows --segment auto; the problem then has
// no segment size yet.
[[nodiscard]] Problem parse_problem(const ProblemOptions& options, const Algorithm& algorithm,
                                    bool finds_segment);
// Parses the problem of `algorithm`, which runs next to `other`. Each gets the options that apply
// to it. Throws UserError for an option that neither takes.
[[nodiscard]] Problem parse_problem_beside(const ProblemOptions& options,
                                           const Algorithm& algorithm, const Algorithm& other);

}  // namespace tutti::inline requests
