// A release of a library, and the formats of the rule files that the release reads.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/rule_files/library_catalogue.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

struct LibraryRelease {
  const LibraryVersion* line = nullptr;  // the version to which the release belongs: "Open MPI 5.0"
  std::string name;                      // as the user wrote it: "Open MPI 5.0.6"
  int release = 0;  // encoded as in LibraryVersion: 500 is 5.0; 600 is Open MPI's main branch
  std::optional<int> patch;  // patch number: 6; empty if the user gave none
};

// Parses the name of a release. Throws UserError if the library is unknown, or if tutti knows none
// of the library's rule-file formats. The message begins with `what`, and lists and suggests the
// names in `accepted`, or, without these, all releases whose formats are known.
[[nodiscard]] LibraryRelease library_release_named(std::string_view what, std::string_view text,
                                                   std::span<const std::string_view> accepted = {});

// Returns the format in which the release would read the text. If the release reads several
// formats, guesses the format from the text.
[[nodiscard]] RuleFormat form_read_by(const LibraryRelease& release, std::string_view text);

// Returns the format in which rules are written for the release. For Open MPI 5.0 without a patch
// number, this is the format that every 5.0.x reads.
[[nodiscard]] RuleFormat form_written_for(const LibraryRelease& release);

// Reads a rule file as the release does. The format is `form` or, if that is empty, form_read_by().
// Adds an error if the release cannot read the format. Throws UserError if `form` belongs to
// another library or release.
[[nodiscard]] RuleFile read_rules_as(const LibraryRelease& release, std::string_view text,
                                     std::optional<RuleFormat> form = std::nullopt);

}}  // namespace tutti::rule_files
