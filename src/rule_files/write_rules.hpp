// Rules in the form that MPI libraries read.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <ostream>
#include <span>
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
  // For communicators of at most so many ranks per node on average; MPICH's forms only, where a
  // collective can stand several times, with rising numbers and with none at last.
  std::optional<std::uint32_t> ranks_per_node = {};
};

// All of them in one file, each collective once unless MPICH tells them apart. Throws
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

}  // namespace tutti
