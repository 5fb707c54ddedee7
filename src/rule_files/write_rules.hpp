// Rules in the form that MPI libraries read.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "src/rule_files/decision_table.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

// What becomes a file: steps with sizes in n. Every choice must be one that the library has.
struct RulesToWrite {
  Collective collective = Collective::allreduce;
  std::vector<RankStep> steps;  // MPICH alone may have none: what is built in
  // The numbers of ranks that were looked at, for libraries whose rules name one each.
  std::vector<std::uint32_t> ranks;
  // MPICH alone: they are of communicators with at most so many ranks on a node in the mean, and of
  // none that a composition makes, of a node or of one rank of each. Nothing: of all.
  std::optional<std::uint32_t> ranks_per_node = {};
  int release = 0;      // of the library, as MpichFile has it; 0: any that reads the form
  std::string made_by;  // for formats that have comments: one line
  // For libraries whose rules name one: the protocol that an algorithm of theirs has on so many
  // ranks for so many bytes; null where nobody knows.
  std::function<std::string_view(std::uint32_t ranks, std::string_view algorithm,
                                 std::uint64_t bytes)>
      protocol = nullptr;
};

// All of them in one file, each collective once; or several times, one after the other, where they
// are of rising numbers of ranks on a node, the last of which serves more ranks too. Throws
// InvariantError for a choice that the library lacks.
void write_rules(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out);
void write_rules(const RulesToWrite& rules, RuleFormat format, std::ostream& out);

// What versions 4 and 5 of Open MPI's classic form share.
void write_ompi_classic(std::span<const RulesToWrite> rules, RuleFormat version, std::ostream& out);
// What versions of MPICH share; `release` as MpichFile has it.
void write_mpich_json(std::span<const RulesToWrite> rules, RuleFormat version, int release,
                      std::ostream& out);
// The condition of MPICH's that n is for the collective: "avg_msg_size", "total_msg_size".
[[nodiscard]] std::string_view mpich_size(Collective collective);
void write_mpich_text(const nlohmann::ordered_json& file, std::ostream& out);

}  // namespace tutti::inline rule_files
