// What there is to choose from: an algorithm with one value of each option but the size of a
// segment, which is found for each cell.
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
  Contender contender;              // with --segment auto where it cuts
  Choice choice;                    // without a segment
  bool cuts = false;                // takes a segment whose size is to be found
  bool own = false;                 // a program of the user
  bool powers_of_two_only = false;  // of ranks: elsewhere the library runs something else
  // The run that a library makes without a rule, which may be another algorithm in each cell;
  // `contender` has none then. No rule may be slower than that by more than the tolerance.
  std::function<CaseRun(std::uint32_t ranks, std::uint64_t bytes)> baseline = nullptr;
  std::optional<RuleFormat> library =
      std::nullopt;  // whose rules can name it, if one was asked for
};

// "segmented_ring, segments of 128 KiB"; with the library's own name, if one was asked for.
[[nodiscard]] std::string in_words(const Candidate& candidate, std::uint64_t segment_bytes);

struct Candidates {
  std::vector<Candidate> all;
  std::vector<std::string> left_out;  // that the library does not have, by name
};

// Who is to be a candidate.
struct CandidatesAsked {
  std::optional<RuleFormat> library;       // those that it has, and its forms of ours
  int release = 0;                         // of it, as LibraryRelease has it; 0: nobody says
  std::vector<const Algorithm*> only;      // none: all of the collective
  std::vector<const Algorithm*> programs;  // of users, beside the others
};

// Every algorithm that takes part, with every value worth trying of its options unless `asked` says
// which. Throws UserError where none is left.
[[nodiscard]] Candidates candidates_of(Collective collective, const ProblemTemplate& asked,
                                       const CandidatesAsked& who);
// The options that have such values: `all` stands for them.
[[nodiscard]] unsigned options_worth_trying(std::optional<RuleFormat> library);

}  // namespace tutti::inline experiments
