// What MPI libraries call their algorithms, and which of tutti's is the same.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/rule_files/decision_table.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

// A row of library_algorithms.csv.
struct LibraryAlgorithm {
  std::string library;  // "Open MPI", "MPICH", "NCCL", "UCC", ...
  Collective collective = Collective::allreduce;
  bool numbered = false;
  int id = 0;                       // the library's number, where it is numbered
  std::string name;                 // the library's
  std::string ours;                 // "" where tutti has none like it
  std::string options;              // of ours: "--tree chain"
  std::string tree;                 // of ours, where it takes one
  bool segments = false;            // cuts messages into segments of the rule's size
  int since = 4;                    // the first major version that has it
  bool powers_of_two_only = false;  // else the library runs something else, or fails
  int until = 99;                   // the last one
  int fan = 0;                      // the least radix that it works with
  std::string fold;                 // of ours, where it is not the default
  std::string parts;                // of ours, where it calls other collectives
  bool fan_is_radix = false;        // the rule's fan-out is the radix of ours, `fan` at least
  std::uint32_t throttle = 0;       // of ours, unless the rule's number of requests says it
  bool tells_tree = false;          // the rule says which of MPICH's trees ours has
  bool exported = true;             // else it serves only calls that rules cannot tell apart
  std::string lacking;              // why tutti has none like it

  [[nodiscard]] bool in_version(int major) const { return since <= major && major <= until; }
};

// Of all versions, for the forms that are theirs.
[[nodiscard]] std::span<const LibraryAlgorithm> open_mpi_algorithms();
[[nodiscard]] std::span<const LibraryAlgorithm> mpich_algorithms();
[[nodiscard]] std::span<const LibraryAlgorithm> nccl_algorithms();

// The library that a format belongs to. tutti's own format has none.
[[nodiscard]] std::span<const LibraryAlgorithm> library_algorithms(RuleFormat format);
[[nodiscard]] int major_version(RuleFormat format);

// Whether the release has it; 0: whether all do that read the form. Of Open MPI all releases of a
// version have the same.
[[nodiscard]] bool has_algorithm(RuleFormat format, const LibraryAlgorithm& algorithm, int release);

// Whether rules of the form can be written for the collective: it has an algorithm that is one of
// ours, and what cuts here cuts there.
[[nodiscard]] bool rules_name(RuleFormat format, Collective collective);

// Null where the version has no such algorithm.
[[nodiscard]] const LibraryAlgorithm* find_by_id(RuleFormat format, Collective collective, long id);
[[nodiscard]] const LibraryAlgorithm* find_by_name(RuleFormat format, Collective collective,
                                                   std::string_view name);
// The library's algorithm that does what tutti's does with these options; null where it has none.
[[nodiscard]] const LibraryAlgorithm* find_for(RuleFormat format, Collective collective,
                                               const Choice& choice);

// The same where it must have one: throws InvariantError. Of a choice that is left to the library,
// what stands for no rule in Open MPI's files.
[[nodiscard]] const LibraryAlgorithm& library_algorithm_for(RuleFormat format,
                                                            Collective collective,
                                                            const Choice& choice);

// What the library runs in place of algorithms that cannot serve a problem.
[[nodiscard]] std::vector<Substitute> library_substitutes(RuleFormat format, Collective collective);

// Whether an algorithm is only the form that libraries have of another one of tutti's: with other
// partners, or with whole vectors where ours hands over halves. Where no library is asked for, its
// times say nothing new.
[[nodiscard]] bool is_library_form(Collective collective, std::string_view algorithm);

// The library's rounding, as --cuts has it; "" where it has none of its own.
[[nodiscard]] std::string_view cuts_of(RuleFormat format);

// The choice that the library's algorithm is, with the fan-out that a rule gives it, with the
// most requests under way, and with the tree where rules say it.
[[nodiscard]] Choice choice_of(RuleFormat format, const LibraryAlgorithm& algorithm,
                               std::uint64_t segment_bytes, std::int64_t fan = 0,
                               std::int64_t requests = 0, std::string_view tree = "");
// The library's name and ours: "6 binomial (pipeline, doubling tree)", or "4 ring" where ours is
// called the same. Only ours if the choice has no name of a library. What all algorithms of the
// library have in common, such as --cuts, is left out.
[[nodiscard]] std::string in_both_words(RuleFormat format, Collective collective,
                                        const Choice& choice);
// The fan-out and the number of requests that a rule has to give it, so that it is that choice.
struct RuleParameters {
  std::uint32_t fan = 0;
  std::uint32_t requests = 0;
};
[[nodiscard]] RuleParameters parameters_of(const LibraryAlgorithm& algorithm, const Choice& choice);

}  // namespace tutti::inline rule_files
