// The problems that the command line asks for: one problem for each combination of a number of
// ranks and a size, and a template with everything else, which all problems share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/requests/problem_template.hpp"

namespace tutti { inline namespace requests {

// The options for which a command accepts more than a single value.
struct RequestForm {
  // --segment may be `auto`, because the command knows the machine's prices and can therefore find
  // the best segment size.
  bool best_segment = false;
  // --skips may have the value `search`, because the command finds the best list for each run.
  bool search_skips = false;
  unsigned all_values = 0;  // bits of the options that may have several values, or `all`
};

struct ProblemRequest {
  std::vector<std::uint32_t> ranks;  // empty if not given
  std::vector<std::uint64_t> bytes;  // empty if not given
  bool all_roots = false;
  // Bits of the options whose value is `all`. `each` does not contain these options.
  unsigned all_values = 0;
  // The given options that only some algorithms take, as the user wrote them.
  std::vector<GivenOption> given_options;
  ProblemTemplate each;

  // Returns `bytes`, or a list with a single empty value if the user gave no size.
  [[nodiscard]] std::vector<std::optional<std::uint64_t>> sizes() const;
};

// Parses the options. Throws UserError for an invalid value and, with a single algorithm, for an
// option that this algorithm does not take. With several algorithms, the caller must reject the
// options that none of them takes (ProblemOptions::refuse_what_none_takes()).
[[nodiscard]] ProblemRequest parse_request(const ProblemOptions& options,
                                           std::span<const Algorithm* const> algorithms,
                                           const RequestForm& form);

// Parses the problem of one algorithm. `finds_segment` allows --segment auto. If the user gave this
// option, the returned problem has no segment size yet.
[[nodiscard]] Problem parse_problem(const ProblemOptions& options, const Algorithm& algorithm,
                                    bool finds_segment);
// Parses the problem of `algorithm` for a command that compares this algorithm with `other`.
// Ignores options that only `other` takes. Throws UserError for an option that neither of the two
// takes.
[[nodiscard]] Problem parse_problem_beside(const ProblemOptions& options,
                                           const Algorithm& algorithm, const Algorithm& other);

}}  // namespace tutti::requests
