// Algorithms of MPI libraries, and their equivalents in tutti.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/rule_files/decision_table.hpp"
#include "src/rule_files/library_catalogue.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

// An algorithm of a library: a row of library_algorithms.csv.
struct LibraryAlgorithm {
  std::string library;  // "Open MPI", "MPICH", "NCCL", "UCC", ...
  Collective collective = Collective::allreduce;
  bool numbered = false;  // true if the library numbers its algorithms
  int id = 0;             // the number that the library gives the algorithm, if `numbered`
  std::string name;       // the name that the library gives the algorithm
  std::string ours;       // tutti's equivalent; empty if there is none
  std::string options;    // options of `ours`: "--tree chain"
  std::string tree;       // value of --tree in `options`; may be empty
  bool segments = false;  // true if a rule's segment size has an effect
  int since = 0;          // LibraryVersion::release of the first version that has it; 0: the oldest
  // True if, on other numbers of ranks, the library runs another algorithm or the call fails.
  bool powers_of_two_only = false;
  int until = kLatest;         // LibraryVersion::release of the last version that has it
  int fan = 0;                 // the smallest radix that rules may set, if `fan_is_radix`
  std::string fold;            // value of --fold in `options`; may be empty
  std::string parts;           // value of --parts in `options`; may be empty
  bool fan_is_radix = false;   // true if the fan-out in a rule sets the radix
  std::uint32_t throttle = 0;  // value of --throttle in `options`; 0 if absent
  bool tells_tree = false;     // true if the rule names the tree (MPICH only)
  // False if tutti writes no rules that choose the algorithm, because it fails for calls that no
  // rule can exclude.
  bool exported = true;
  std::string lacking;  // why tutti has no equivalent

  [[nodiscard]] bool in_release(int release) const { return since <= release && release <= until; }
};

// Returns the algorithms of the library that reads the format; empty if rules in this format do not
// choose algorithms.
[[nodiscard]] std::span<const LibraryAlgorithm> library_algorithms(RuleFormat format);

// True if rules in this format can be written for the collective. At least one of the library's
// algorithms for the collective must have an equivalent in tutti and be exported. If this
// equivalent takes a segment size, rules must also be able to set the size.
[[nodiscard]] bool rules_name(RuleFormat format, Collective collective);

// True if the library has an algorithm for the collective that is a form of tutti's algorithm
// `name`, or that has this name.
[[nodiscard]] bool has_form_of(RuleFormat format, Collective collective, std::string_view name);

// Return the algorithm with this number or name; null if the first release that reads
// the format does not have it.
[[nodiscard]] const LibraryAlgorithm* find_by_id(RuleFormat format, Collective collective, long id);
[[nodiscard]] const LibraryAlgorithm* find_by_name(RuleFormat format, Collective collective,
                                                   std::string_view name);
// Returns the library's algorithm that is equivalent to tutti's algorithm with the options in
// `choice`; null if there is none.
[[nodiscard]] const LibraryAlgorithm* find_for(RuleFormat format, Collective collective,
                                               const Choice& choice);

// Like find_for(), but throws InvariantError if there is no equivalent algorithm. If
// `choice.left_to_library` is true, returns Open MPI's algorithm 0, "ignore", for which Open MPI
// uses its built-in decision.
[[nodiscard]] const LibraryAlgorithm& library_algorithm_for(RuleFormat format,
                                                            Collective collective,
                                                            const Choice& choice);

// Returns the replacements that the library runs for algorithms that do not support a problem.
[[nodiscard]] std::vector<Substitute> library_substitutes(RuleFormat format, Collective collective);

// True if the algorithm is a library's variant of another algorithm of tutti: compared with that
// other algorithm, ranks exchange data with different ranks, or send whole vectors instead of
// halves.
[[nodiscard]] bool is_library_form(Collective collective, std::string_view algorithm);

// Returns the value of --cuts that splits vectors as the library does; empty if there is no such
// value.
[[nodiscard]] std::string_view cuts_of(RuleFormat format);

// Converts a rule to a choice: the algorithm, its fan-out, the maximum number of outstanding
// requests, and the tree if the rule names one.
[[nodiscard]] Choice choice_of(RuleFormat format, const LibraryAlgorithm& algorithm,
                               std::uint64_t segment_bytes, std::int64_t fan = 0,
                               std::int64_t requests = 0, std::string_view tree = "");
// Returns the names that the library and tutti have for a choice: "6 binomial (pipeline, doubling
// tree)". Returns a single name if both are the same ("4 ring"), and only tutti's name if the
// choice has no library name. Leaves out options that all algorithms of the library share, such as
// --cuts.
[[nodiscard]] std::string in_both_words(RuleFormat format, Collective collective,
                                        const Choice& choice);
// Returns the library's name for a choice, with the protocol and the channels of NCCL's rules:
// "ring, ll, 8 channels".
[[nodiscard]] std::string library_in_words(const Choice& choice);
// The largest fan-out of Open MPI's chain algorithms; larger ones are read as this number.
inline constexpr std::int64_t kMostChains = 32;
// The fan-out and the number of requests that a rule must contain so that the library runs the
// algorithm as the choice specifies.
struct RuleParameters {
  std::uint32_t fan = 0;
  std::uint32_t requests = 0;
};
[[nodiscard]] RuleParameters parameters_of(const LibraryAlgorithm& algorithm, const Choice& choice);

}}  // namespace tutti::rule_files
