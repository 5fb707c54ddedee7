// Candidates of a decision. A candidate is an algorithm with one value for each option except the
// segment size, which is found separately for each number of ranks and vector size.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/compare/comparison.hpp"
#include "src/rule_files/decision_table.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace experiments {

struct Candidate {
  // If `cuts` is true, contender.asked requests the best segment size. An algorithm of NCCL has no
  // algorithm here, because its schedule differs from cell to cell.
  Contender contender;
  Choice choice;      // without a segment size
  bool cuts = false;  // true if the segment size is still to be found
  bool own = false;   // true for a program that the user wrote
  // True if the library runs another algorithm when the number of ranks is not a power of two.
  bool powers_of_two_only = false;
  // Returns why the library does not run the candidate, although a rule names it; empty if it does.
  // Null: it always does.
  std::function<std::string(std::uint32_t ranks, std::uint64_t bytes)> why_not = nullptr;
  // Set only for the candidate that represents the library's own choice without rules; the
  // `contender` of this candidate has no algorithm. Returns the case that the library runs without
  // rules; the algorithm may differ from cell to cell. A candidate that a rule chooses may take
  // longer than this case, but by at most the tolerance.
  std::function<CaseRun(std::uint32_t ranks, std::uint64_t bytes)> baseline = nullptr;
  // The library for which rules are made, if the user named one. The rules of this library can
  // select the candidate.
  std::optional<RuleFormat> library = std::nullopt;
};

// Returns the case of a candidate, without a machine, or why the candidate cannot run.
[[nodiscard]] CaseRun first_look(const Candidate& candidate, std::uint32_t ranks,
                                 std::uint64_t bytes);

// Describes a candidate: "segmented_ring, segments of 128 KiB". Adds the library's own name if
// `candidate.library` is set.
[[nodiscard]] std::string in_words(const Candidate& candidate, std::uint64_t segment_bytes);

struct Candidates {
  std::vector<Candidate> all;
  std::vector<std::string> left_out;  // names of algorithms that the library does not have
};

// Specifies which algorithms become candidates.
struct CandidateFilter {
  // If set: only algorithms that this library has.
  std::optional<RuleFormat> library;
  int release = 0;                         // release of `library`, as in LibraryRelease; 0: unknown
  std::vector<const Algorithm*> only;      // empty: all algorithms for the collective
  std::vector<const Algorithm*> programs;  // further candidates: programs that users wrote
};

// Returns candidates for every selected algorithm. If `problem_template` leaves options of an
// algorithm unset, there is one candidate for each combination of the values that are worth trying
// for these options, among them the defaults. Without a library, algorithms that cut by count (see
// cuts_by_count()) have a further candidate with their default segments. Throws UserError if there
// is no candidate.
[[nodiscard]] Candidates candidates_of(Collective collective,
                                       const ProblemTemplate& problem_template,
                                       const CandidateFilter& who);
// Returns a bit set of the options that have values worth trying besides the default. Users may set
// these options to `all`.
[[nodiscard]] unsigned options_worth_trying(std::optional<RuleFormat> library);

}}  // namespace tutti::experiments
