// MPICH's "Coll" selection, which chooses the MPIR_ algorithm that runs on one communicator.
#pragma once

#include <optional>
#include <span>

#include "src/built_in/built_in.hpp"
#include "src/built_in/part_call.hpp"

namespace tutti { inline namespace built_in {

// LibraryVersion::release of MPICH 4.0, the first version whose decisions are known.
inline constexpr int kFirst = 400;

// Returns the decision for a communicator of at least two ranks. The communicator contains one rank
// of each node, or the ranks of one node, or, if no composition splits the call, all ranks.
// `release` is LibraryVersion::release. `files` is LibraryCall::mpich_files. The decision has one
// level.
[[nodiscard]] LibraryDecision mpir_decision(int release, const PartCall& call,
                                            std::span<const MpichSiteFile> files = {});

// The choice of a site's rule file for a call.
struct SiteChoice {
  std::string where;    // "ch4.json, line 4"
  std::string because;  // the conditions that hold
  // Empty if the file has no rule for the call.
  std::optional<Choice> choice;
};
// Returns nothing if `files` has no file of the level.
[[nodiscard]] std::optional<SiteChoice> site_choice(std::span<const MpichSiteFile> files,
                                                    MpichLevel level, const PartCall& call);

}}  // namespace tutti::built_in
