// Candidates of a decision. A candidate is an algorithm with one value for each option except the
// segment size, which is found separately for each number of ranks and vector size.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/comparison.hpp"
#include "src/rule_files/decision_table.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti::inline experiments {

struct Candidate {
  Contender contender;  // with --segment auto if the algorithm takes segments
  Choice choice;        // without a segment size
  bool cuts = false;    // the algorithm takes segments, whose size is to be found
  bool own = false;     // a program of the user
  // If set, the library runs another algorithm unless the number of ranks is a power of two.
  bool powers_of_two_only = false;
  // Set only for the candidate that represents a library without rules, whose `contender` has no
  // algorithm. Returns what the library runs, which may be another algorithm in each cell. No rule
  // may take longer than this run by more than the tolerance.
  std::function<CaseRun(std::uint32_t ranks, std::uint64_t bytes)> baseline = nullptr;
  // The library for which rules are made, if the user named one. Its rules can select the
  // candidate.
  std::optional<RuleFormat> library = std::nullopt;
};

// Describes a candidate: "segmented_ring, segments of 128 KiB". Adds the library's own name if
// `candidate.library` is set.
[[nodiscard]] std::string in_words(const Candidate& candidate, std::uint64_t segment_bytes);

struct Candidates {
  std::vector<Candidate> all;
  std::vector<std::string> left_out;  // names of algorithms that the library does not have
};

// Specifies which algorithms become candidates.
struct CandidatesAsked {
  // If set: only algorithms that this library has, including variants that only libraries use.
  std::optional<RuleFormat> library;
  int release = 0;                         // release of `library`, as in LibraryRelease; 0: unknown
  std::vector<const Algorithm*> only;      // empty: all algorithms for the collective
  std::vector<const Algorithm*> programs;  // programs of users, to add to these algorithms
};

// Returns candidates for every selected algorithm. If `asked` does not set an option, there is one
// candidate for each value of the option that is worth trying. Throws UserError if there is no
// candidate.
[[nodiscard]] Candidates candidates_of(Collective collective, const ProblemTemplate& asked,
                                       const CandidatesAsked& who);
// Returns a bit set of the options that have values worth trying besides the default. Users may set
// these options to `all`.
[[nodiscard]] unsigned options_worth_trying(std::optional<RuleFormat> library);

}  // namespace tutti::inline experiments
