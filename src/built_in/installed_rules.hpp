// The rule files that a site installs for a library. built_in_decision() is the only function that
// says what a library runs with such files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/built_in/built_in.hpp"
#include "src/rule_files/library_release.hpp"

namespace tutti { inline namespace built_in {

struct InstalledRules {
  std::vector<DecisionTable> tuned;  // see LibraryCall::rules
  std::vector<DecisionTable> han;    // see LibraryCall::han_rules
  std::vector<MpichSiteFile> mpich;  // see LibraryCall::mpich_files

  // Adds a file with the text `text`, which the release reads as `file`. Decisions name the file by
  // `path`. There must be at most one file of each format.
  void add(const std::string& path, std::string_view text, RuleFile file,
           const LibraryRelease& release);
  // Lets these rules decide the call. They must outlive it.
  void apply_to(LibraryCall& call) const;
};

}}  // namespace tutti::built_in
