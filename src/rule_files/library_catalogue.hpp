// What libraries call their algorithms, for people: by algorithm of ours, and by library. Beside
// those that rule files can name, of which library_algorithms.hpp knows more, it has those of
// libraries that are told nothing by rules.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"

namespace tutti::inline rule_files {

// A library as a user names it. Versions that differ in nothing that matters here are one.
struct LibraryVersion {
  std::string_view name;  // "Open MPI 5.0"
  std::string_view family;
  int number;  // of its family's algorithms, as LibraryAlgorithm::since counts
};
[[nodiscard]] std::span<const LibraryVersion> library_versions();
// Any case, any version of a line: "open mpi 5.0.6". Null where it is none.
[[nodiscard]] const LibraryVersion* find_library_version(std::string_view text);
// "; did you mean 'Open MPI 5.0.6'?" of "openmpi 5.0.6"; "" if no known version is like the text.
[[nodiscard]] std::string did_you_mean_library(std::string_view text);
// As find_library_version(); throws UserError that names those known.
[[nodiscard]] const LibraryVersion& library_version_named(std::string_view what,
                                                          std::string_view text);

// One algorithm of a library.
struct CatalogueRow {
  std::string_view family;
  Collective collective;
  std::string id;                 // its number, where it has one; else ""
  std::string_view name;          // the library's
  std::string_view since;         // the first version that has it; "" for all that are known
  std::string_view algorithm;     // ours, without its collective; "" where there is none like it
  std::string options;            // of ours: "--tree chain --radix 4"
  std::string_view only_on = "";  // numbers of ranks it serves: "p = 2^k", "p = 2"
  std::string_view lacking = "";  // why there is none like it
};

// All of a version, in the order of collectives and numbers.
[[nodiscard]] std::vector<CatalogueRow> catalogue_of(const LibraryVersion& version);
// Who runs it, whichever version.
[[nodiscard]] std::vector<CatalogueRow> libraries_of(const Algorithm& algorithm);

}  // namespace tutti::inline rule_files
