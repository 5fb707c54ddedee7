// Rules in the form that MPI libraries read.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "src/rule_files/decision_table.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti {

// What becomes a file: steps with sizes in n. Every choice must be one that the library has.
struct RulesToWrite {
  Collective collective = Collective::allreduce;
  std::vector<RankStep> steps;
  // The numbers of ranks that were looked at, for libraries whose rules name one each.
  std::vector<std::uint32_t> ranks;
  std::string made_by;  // for formats that have comments: one line
  // For libraries whose rules name one: the protocol that an algorithm of theirs has on so many
  // ranks for so many bytes; null where nobody knows.
  std::function<std::string_view(std::uint32_t ranks, std::string_view algorithm,
                                 std::uint64_t bytes)>
      protocol = nullptr;
};

// Throws InvariantError for a choice that the library lacks.
void write_rules(const RulesToWrite& rules, RuleFormat format, std::ostream& out);

// What versions 4 and 5 of Open MPI's classic form share.
void write_ompi_classic(const RulesToWrite& rules, RuleFormat version, std::ostream& out);
// What versions of MPICH share.
void write_mpich_json(const RulesToWrite& rules, RuleFormat version, std::ostream& out);

}  // namespace tutti
