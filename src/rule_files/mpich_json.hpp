// Reads the JSON files of MPICH: the selection tree, compositions, and the algorithms in shared
// memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/formats/json_lines.hpp"
#include "src/rule_files/mpich_names.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

// How to interpret an MPICH rule file: its format, the decision that it makes (see MpichLevel), and
// the MPICH release for which it is meant, encoded as 100 * major + minor (403 is 4.3).
struct MpichFile {
  RuleFormat format = RuleFormat::mpich;
  MpichLevel level = MpichLevel::coll;
  int release = kLastPlainTree;

  // Returns the name of the library: "MPICH 4.3".
  [[nodiscard]] std::string library() const;
};

inline constexpr const char* kMpichAborts = "MPICH then ends the program";

// Reads a rule file of MPICH. `what` says how to interpret the text.
[[nodiscard]] RuleFile read_mpich_json(std::string_view text, const MpichFile& what);
// Reads the selection file of MPICH 5.1, which has named trees.
[[nodiscard]] RuleFile read_mpich_named_trees(std::string_view text);

// Returns the choice in a leaf of the tree of `collective`. `key` is the key of the leaf without
// blanks, such as "algorithm=NAME". Adds findings to `file`.
[[nodiscard]] Choice read_mpich_leaf(const JsonLine& leaf, std::string_view key,
                                     const MpichFile& what, std::string_view collective,
                                     RuleFile& file);

}  // namespace tutti::inline rule_files
