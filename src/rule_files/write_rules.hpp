// Writes rules in the formats that MPI libraries read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "src/rule_files/decision_table.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

// Choice that a line of NCCL's tuner makes.
struct NcclLine {
  std::string_view algorithm;
  std::string_view protocol;

  friend bool operator==(const NcclLine&, const NcclLine&) = default;
};

// The machine for which rules of NCCL are written.
struct NcclRules {
  // Returns what a line has for calls of `bytes` bytes, where `decided` is the choice of the rules.
  // An empty algorithm stands for NCCL's own choice, an empty protocol for the best one.
  std::function<NcclLine(std::uint32_t ranks, const NcclLine& decided, std::uint64_t bytes)> line;
  std::function<std::uint32_t(std::uint32_t ranks)>
      nodes;                         // number of nodes for this number of ranks
  std::vector<std::string> remarks;  // sentences for the file's comments
};

// Rules of one collective. Sizes are n, the bytes of the whole vector. The library must have an
// algorithm for every choice.
struct RulesToWrite {
  Collective collective = Collective::allreduce;
  std::vector<RankStep> steps;  // if empty (only for MPICH), the built-in decision applies
  // Numbers of ranks that were decided, in rising order. The library's own choice applies to fewer
  // and to more ranks, if the format can express this. If empty, the rules apply to all ranks.
  std::vector<std::uint32_t> ranks;
  // MPICH only: the rules apply to communicators with at most this number of ranks per node on
  // average. They do not apply to the communicators that a composition creates (the ranks of a
  // node, or one rank of each node), nor to communicators with more ranks per node. Empty: the
  // rules apply to all communicators.
  std::optional<std::uint32_t> ranks_per_node = {};
  // Release of the library, encoded as in LibraryVersion; 0: any release that reads the format.
  int release = 0;
  std::string made_by;  // who made the rules, in one line, for formats that have comments
  // NCCL only. Empty if the machine is unknown: every choice then needs an algorithm, and a choice
  // without a protocol gets "simple".
  std::optional<NcclRules> nccl = {};
};

// Writes all rules to one file. Each collective occurs once, except that MPICH accepts several
// consecutive entries of a collective with rising `ranks_per_node`. Throws InvariantError if the
// library has no algorithm for a choice, and for formats whose rules do not choose algorithms:
// write_han_rules(), write_compositions() and write_posix_rules() write these formats.
void write_rules(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out);
void write_rules(const RulesToWrite& rules, RuleFormat format, std::ostream& out);

}}  // namespace tutti::rule_files
