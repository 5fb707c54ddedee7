// A release of a library, and the form of rule files that it reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/rule_files/library_catalogue.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

struct LibraryRelease {
  const LibraryVersion* line = nullptr;  // "Open MPI 5.0"
  std::string name;                      // as it was asked for, "Open MPI 5.0.6"
  int release = 0;                       // as MpichFile has it: 500; 600 is Open MPI's main branch
  std::optional<int> patch;              // 6; nothing where nobody says
};

// Throws UserError for a library that is not known, or that reads no rule files that are.
[[nodiscard]] LibraryRelease library_release_named(std::string_view what, std::string_view text);

// The form in which the release would read the text, by what the text looks like.
[[nodiscard]] RuleFormat form_read_by(const LibraryRelease& release, std::string_view text);

// The form in which rules of its algorithms are written for it; of 5.0 without a patch, what all of
// its patches read.
[[nodiscard]] RuleFormat form_written_for(const LibraryRelease& release);

// Reads as the release does. What it does not read at all is said as an error.
[[nodiscard]] RuleFile read_rules_as(const LibraryRelease& release, std::string_view text,
                                     std::optional<RuleFormat> form = std::nullopt);

}  // namespace tutti::inline rule_files
