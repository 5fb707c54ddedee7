// Names that rule files of MPICH may contain, with the releases that know them. If a file has a
// name that the running release does not know, every program aborts in MPI_Init.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline rule_files {

// Environment variables that load each file.
inline constexpr std::string_view kLoadMpichColl = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={}";
inline constexpr std::string_view kLoadMpichCh4 =
    "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE={}";
inline constexpr std::string_view kLoadMpichPosix =
    "MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE={}";

// Releases are encoded as 100 * major + minor: 403 is 4.3.
inline constexpr int kLatest = 9999;
// Decision that a file makes: the algorithm for a communicator, the parts from which ch4 composes a
// collective, or the algorithm in a node's shared memory.
enum class MpichLevel : std::uint8_t { coll, composition, posix };

struct MpichName {
  MpichLevel level;
  std::string_view name;        // "MPIR_Bcast_intra_tree"
  int since;                    // first release that has the name
  int until;                    // last release that has the name; kLatest if the newest one does
  std::string_view parameters;  // "tree_type k"; see mpich_parameters.hpp

  [[nodiscard]] bool in(int release) const { return since <= release && release <= until; }
  [[nodiscard]] std::vector<std::string_view> parameter_names() const;
  // "bcast", "ireduce_scatter_block".
  [[nodiscard]] std::string collective() const;
};

// Names of all releases and levels.
[[nodiscard]] std::span<const MpichName> mpich_names();
// Returns null if no release has the name.
[[nodiscard]] const MpichName* find_mpich_name(MpichLevel level, std::string_view name);
// "MPICH 4.0", "MPICH 4.1 and later".
[[nodiscard]] std::string releases_in_words(const MpichName& name);
// True if the text has the name of an algorithm that first appeared after this release.
[[nodiscard]] bool has_mpich_name_after(std::string_view text, int release);
// "4.3".
[[nodiscard]] std::string release_in_words(int release);

}  // namespace tutti::inline rule_files
