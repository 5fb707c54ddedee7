// A rule file that 'tutti lint' has read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "src/experiments/ran/rules_ran.hpp"
#include "src/requests/nccl_options.hpp"
#include "src/rule_files/library_release.hpp"
#include "src/rule_files/nccl/csv.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace commands {

// A rule file, as the library reads it.
struct LintedFile {
  std::string path;
  std::string text;
  RuleFile rules;
  // Settings that take precedence over the rules, in words; "" if there are none, or without
  // --library.
  std::string decided_before;
  bool is_rule_file = true;
  std::optional<RuleUses> ran;  // what the runs of --ran used
  LosingRules losing;           // rules that NCCL's own model finds slower
  bool gpu_is_assumed = false;  // true if neither the file nor the user names the GPU
};

// Prints the findings, the notes and the rules of the file.
void print_linted_file(const LintedFile& linted, std::ostream& out);

// Compares rules of NCCL with its own choices by its model: that of `library` or, without a
// library, a GPU and a graph, that which the file names. `ranks` is for rules that are for any
// number of ranks.
void compare_with_nccl(const std::optional<LibraryRelease>& library, NcclOptions machine,
                       const std::vector<std::uint32_t>& ranks, LintedFile& file);

}}  // namespace tutti::commands
