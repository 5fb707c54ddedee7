// The rules of Open MPI's coll/han: which component takes a collective, by the level of the nodes
// that it is asked on, the communicator's size and the message's. Format and look-up:
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

namespace tutti::inline rule_files {

inline constexpr std::string_view kLoadHan =
    "mpirun --mca coll_han_use_dynamic_file_rules 1 --mca coll_han_dynamic_rules_filename {}";

// Releases count as those of MPICH do: 401 is 4.1, 600 the main branch.

// Whether coll/han has the collective for all ranks of a communicator.
[[nodiscard]] bool han_has(Collective collective, int release);
// What coll/han calls its algorithms of a collective, by number from 1 on: "intra", "simple". 4.1
// has no names for them.
[[nodiscard]] std::span<const std::string_view> han_algorithms(Collective collective, int release);
// Of "self", "basic", ...: whether a release lets rules name it.
[[nodiscard]] bool han_component(std::string_view name, int release);
// Whether rules can give it, for all ranks, to another component than han. In 4.1 an allreduce that
// they give away is run by han all the same, with the other's data, and crashes.
[[nodiscard]] bool han_lets_go(Collective collective, int release);
// Whether one of these words stands in the text, comments aside.
[[nodiscard]] bool names_a_component(std::string_view text);

// The tables are those of whole communicators; what they choose is a component, "han" with its
// algorithm behind an @ where the file says one.
[[nodiscard]] RuleFile read_han_rules(std::string_view text, int release);

// From so many bytes on, as coll/han counts them: what a rank contributes to an allgather or a
// gather, or gets from a scatter; of the others the vector.
struct HanSize {
  std::uint64_t from_bytes = 0;  // of the first one 0
  std::string component = "tuned";
  std::string algorithm = {};  // of han; "" for the one that it takes by itself
  std::string why = {};

  friend bool operator==(const HanSize&, const HanSize&) = default;
};
struct HanRanks {
  std::uint32_t from_ranks = 1;  // of the first one 1
  std::vector<HanSize> sizes;
};
// What is not named stays with coll/han's own parameters, which give it to han.
struct HanCollective {
  Collective collective = Collective::bcast;
  std::vector<HanRanks> ranks;
};
struct HanRulesToWrite {
  int release = 500;
  std::vector<HanCollective> collectives;
  std::string made_by;
};

// Throws InvariantError for what the release could not read back as it is meant.
void write_han_rules(const HanRulesToWrite& rules, std::ostream& out);

// All that coll/han has, and lets go, goes to coll/tuned, whose rules then decide for all ranks.
[[nodiscard]] HanRulesToWrite all_to_tuned(int release, std::string made_by);

}  // namespace tutti::inline rule_files
