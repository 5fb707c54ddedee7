// Reads and writes rules of Open MPI's coll/han, which choose the component of Open MPI that runs a
// collective. The choice depends on the level of the communicator (within a node, between nodes, or
// all ranks), on its number of ranks, and on the size of the message. Format and look-up:
// ompi/mca/coll/han/coll_han_dynamic_file.{h,c} and coll_han_dynamic.c at v4.1.4, v5.0.6 and main
// of August 2026.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

// Releases of Open MPI are encoded as 100 * major + minor: 401 is 4.1. 600 is the main branch.

// True if coll/han implements the collective for all ranks of a communicator.
[[nodiscard]] bool han_has(Collective collective, int release);
// Returns the names of coll/han's algorithms for a collective, such as "intra" or "simple", in the
// order of their numbers, which begin at 1. Empty for 4.1, in which the algorithms have no names.
[[nodiscard]] std::span<const std::string_view> han_algorithms(Collective collective, int release);
// True if rules for the release may name this component: "self", "basic", ...
[[nodiscard]] bool han_component(std::string_view name, int release);
// True if rules can assign the collective, for all ranks, to a component other than han. If rules
// assign an allreduce to another component in 4.1, han still runs it, with the data of that
// component, and crashes.
[[nodiscard]] bool han_lets_go(Collective collective, int release);
// True if the text names a component outside of comments.
[[nodiscard]] bool names_a_component(std::string_view text);

// Choice::library_algorithm of a rule without message sizes.
inline constexpr std::string_view kHanParameters = "coll/han's parameters";

// Returns the tables for whole communicators. Choice::library_algorithm is the name of a component,
// kHanParameters, or, if the file names an algorithm of coll/han, "han @" and the name of that
// algorithm.
[[nodiscard]] RuleFile read_han_rules(std::string_view text, int release);

// The component for sizes of `from_bytes` and more. The size is that of one rank's block for
// allgather, gather, scatter and alltoall, and that of the whole vector for all other collectives.
struct HanSize {
  std::uint64_t from_bytes = 0;  // 0 in the first entry of a list
  std::string component = "tuned";
  std::string algorithm = {};  // algorithm of coll/han; empty for the default one
  std::string why = {};

  friend bool operator==(const HanSize&, const HanSize&) = default;
};
struct HanRanks {
  std::uint32_t from_ranks = 1;  // smallest number of ranks; 1 in the first entry of a list
  std::vector<HanSize> sizes;
};
// Rules of one collective. For collectives without rules, coll/han's parameters decide; their
// defaults choose coll/han itself.
struct HanCollective {
  Collective collective = Collective::bcast;
  std::vector<HanRanks> ranks;
};
struct HanRulesToWrite {
  int release = 500;
  std::vector<HanCollective> collectives;
  std::string made_by;
};

// Writes a rule file. Throws InvariantError if the release would not read the rules as intended.
void write_han_rules(const HanRulesToWrite& rules, std::ostream& out);

// Returns rules that assign to coll/tuned every collective for which han_has() and han_lets_go()
// are true, so that the rules of coll/tuned decide for all ranks.
[[nodiscard]] HanRulesToWrite all_to_tuned(int release, std::string made_by);

}}  // namespace tutti::rule_files
