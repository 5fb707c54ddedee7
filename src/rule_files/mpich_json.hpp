// The selection trees of MPICH: which file they stand in, and reading them back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/formats/json_lines.hpp"
#include "src/rule_files/mpich_names.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

// What a text is to be read as: a form, the level that it is for, and the release that reads it
// (403: 4.3).
struct MpichFile {
  RuleFormat format = RuleFormat::mpich;
  MpichLevel level = MpichLevel::coll;
  int release = kLatest;

  // "MPICH 4.3"; "MPICH" where nobody says which.
  [[nodiscard]] std::string library() const;
};

inline constexpr const char* kMpichAborts = "MPICH then ends the program";

[[nodiscard]] RuleFile read_mpich_json(std::string_view text, const MpichFile& what);

// What a leaf of such a tree chooses, for the collective that it stands under. The key has no
// blanks.
[[nodiscard]] Choice read_mpich_leaf(const JsonLine& leaf, std::string_view key,
                                     const MpichFile& what, std::string_view collective,
                                     RuleFile& file);

}  // namespace tutti::inline rule_files
