// A release of a library, and the format of the rule files that it reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/rule_files/library_catalogue.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

struct LibraryRelease {
  const LibraryVersion* line = nullptr;  // the version that includes it: "Open MPI 5.0"
  std::string name;                      // as the user wrote it, "Open MPI 5.0.6"
  int release = 0;           // encoded as in MpichFile: 500 is 5.0; 600 is Open MPI's main branch
  std::optional<int> patch;  // 6; empty if the user gave no patch number
};

// Throws UserError if the library is unknown, or if none of its rule-file formats is known.
[[nodiscard]] LibraryRelease library_release_named(std::string_view what, std::string_view text);

// Format in which the release would read the text, judged by what the text looks like.
[[nodiscard]] RuleFormat form_read_by(const LibraryRelease& release, std::string_view text);

// Format in which rules are written for the release. For Open MPI 5.0 without a patch number, the
// format that every 5.0.x reads.
[[nodiscard]] RuleFormat form_written_for(const LibraryRelease& release);

// Reads a rule file as the release does. Adds an error if the release cannot read that format.
// Throws UserError if `form` belongs to another library or release.
[[nodiscard]] RuleFile read_rules_as(const LibraryRelease& release, std::string_view text,
                                     std::optional<RuleFormat> form = std::nullopt);

}  // namespace tutti::inline rule_files
