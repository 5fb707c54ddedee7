// Names that rule files of MPICH may contain, with the releases that know them. If a file has a
// name that the running release does not know, every program aborts in MPI_Init.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_words.hpp"
#include "src/rule_files/library_algorithms.hpp"

namespace tutti { inline namespace rule_files {

// Releases are encoded as in LibraryVersion: 403 is 4.3.

// The first release whose selection file has named trees, and the last one before it.
inline constexpr int kNamedTrees = 501;
inline constexpr int kLastPlainTree = 500;
// The decision that a rule file of MPICH makes: the algorithm for a communicator (coll), how ch4
// composes a collective from other collectives (composition), or the algorithm in a node's shared
// memory (posix).
enum class MpichLevel : std::uint8_t { coll, composition, posix };

struct MpichName {
  MpichLevel level;
  std::string_view name;  // "MPIR_Bcast_intra_tree"
  int since;              // first release that has the name
  int until;              // last release that has the name; kLatest if it is the newest release
  std::string_view parameters;  // "tree_type k"; see parameters.hpp

  [[nodiscard]] bool in(int release) const { return since <= release && release <= until; }
  [[nodiscard]] std::vector<std::string_view> parameter_names() const {
    return words_in(parameters);
  }
  // Returns the collective to which the name belongs: "bcast", "ireduce_scatter_block".
  [[nodiscard]] std::string collective() const;
};

// Returns the names of all releases and levels.
[[nodiscard]] std::span<const MpichName> mpich_names();
// Returns the entry of a name for a release. If the release does not have the name, returns the
// entry of another release; null if no release has the name.
[[nodiscard]] const MpichName* find_mpich_name(MpichLevel level, std::string_view name,
                                               int release);
// True if `release` has the algorithm of any library. `release == 0` asks whether every release
// that reads this format has it. All releases of a version of another library have the same
// algorithms.
[[nodiscard]] bool has_algorithm(RuleFormat format, const LibraryAlgorithm& algorithm, int release);
// Returns the releases that have the name: "MPICH 4.0", "MPICH 4.1 and later".
[[nodiscard]] std::string releases_in_words(const MpichName& name);
// True if the text contains the name of an algorithm that first appeared after this release.
[[nodiscard]] bool has_mpich_name_after(std::string_view text, int release);
// Returns a collective's name as MPICH writes it in names of functions: "Reduce_scatter_block".
[[nodiscard]] std::string mpich_name(std::string_view collective);
// Returns a release as text: "4.3" for 403.
[[nodiscard]] std::string release_in_words(int release);

}}  // namespace tutti::rule_files
