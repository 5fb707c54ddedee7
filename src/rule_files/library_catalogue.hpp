// Catalogue for users: the algorithms of each library, and the libraries that run each algorithm of
// tutti. The catalogue includes libraries without rule files. For the algorithms that rule files
// can name, library_algorithms.hpp has more details.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace rule_files {

// Stands for the latest release of a library.
inline constexpr int kLatest = 9999;

// A version of a library, as a user names it. All patch releases of a version share one entry.
struct LibraryVersion {
  std::string_view name;    // "Open MPI 5.0"
  std::string_view family;  // name of the library without a version: "Open MPI"
  // 100 * major + minor: 500 is 5.0. 600 is Open MPI's main branch. 0 if the library has no
  // versions of its own.
  int release;
};
[[nodiscard]] std::span<const LibraryVersion> library_versions();
// Finds a version by its name in upper or lower case, with any patch number: "open mpi 5.0.6".
// Returns null if the version is unknown.
[[nodiscard]] const LibraryVersion* find_library_version(std::string_view text);
// Returns a suggestion, such as "; did you mean 'Open MPI 5.0.6'?" for "openmpi 5.0.6". `accepted`:
// names of the versions that the option accepts. A version is only suggested if its number fits
// that in `text`. For a library that tutti does not know, such as MVAPICH, says so instead. Empty
// if no accepted version is similar.
[[nodiscard]] std::string did_you_mean_library(std::string_view text,
                                               std::span<const std::string_view> accepted);
// Like find_library_version(), but throws a UserError that begins with `what` and lists the known
// versions if the version is unknown.
[[nodiscard]] const LibraryVersion& library_version_named(std::string_view what,
                                                          std::string_view text);

// One algorithm of a library.
struct CatalogueRow {
  std::string_view family;
  Collective collective;
  std::string id;                 // the library's number; may be empty
  std::string_view name;          // the library's name
  std::string_view since;         // the first version that has the algorithm; empty if all known
                                  // versions have it
  std::string_view algorithm;     // tutti's name, without the collective; empty if there is no
                                  // equivalent
  std::string options;            // options of tutti's algorithm: "--tree chain --radix 4"
  std::string_view only_on = "";  // numbers of ranks that it supports, if not all: "p = 2^k"
  std::string_view lacking = "";  // why tutti has no equivalent
};

// Returns all algorithms of a version, ordered by collective and number.
[[nodiscard]] std::vector<CatalogueRow> catalogue_of(const LibraryVersion& version);
// Returns the rows of all libraries and versions whose equivalent in tutti is `algorithm`.
[[nodiscard]] std::vector<CatalogueRow> libraries_of(const Algorithm& algorithm);

}}  // namespace tutti::rule_files
