#include "src/rule_files/library_catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "cost_models/nccl/release.hpp"
#include "src/rule_files/library_rows.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using enum Collective;

// All but the releases of NCCL, which come from its cost models.
constexpr std::array kOtherVersions{
    LibraryVersion{"Open MPI 4.1", "Open MPI", 401},
    LibraryVersion{"Open MPI 5.0", "Open MPI", 500},
    LibraryVersion{"Open MPI main", "Open MPI", 600},
    LibraryVersion{"Open MPI 6.0", "Open MPI", 600},
    LibraryVersion{"MPICH 4.0", "MPICH", 400},
    LibraryVersion{"MPICH 4.1", "MPICH", 401},
    LibraryVersion{"MPICH 4.2", "MPICH", 402},
    LibraryVersion{"MPICH 4.3", "MPICH", 403},
    LibraryVersion{"MPICH 5.0", "MPICH", 500},
    LibraryVersion{"MPICH 5.1", "MPICH", 501},
    LibraryVersion{"RCCL 2.28", "RCCL", 228},
    LibraryVersion{"RCCL 2.30", "RCCL", 230},
    LibraryVersion{"Open MPI HAN", "Open MPI HAN", 0},
    LibraryVersion{"UCC 1.4", "UCC", 104},
    LibraryVersion{"UCC 1.8", "UCC", 108},
    LibraryVersion{"Open MPI libnbc", "Open MPI libnbc", 0},
    LibraryVersion{"UCC cl/hier", "UCC cl/hier", 0},
};

std::vector<LibraryVersion> make_versions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const std::string& line : nccl_release_lines()) {
      all.push_back(fmt::format("NCCL {}", line));
    }
    return all;
  }();
  std::vector<LibraryVersion> versions(kOtherVersions.begin(), kOtherVersions.end());
  auto at = std::ranges::find(versions, "RCCL", &LibraryVersion::family);
  for (const std::string& name : names) {
    constexpr std::size_t kBeforeMinor = std::string_view("NCCL 2.").size();
    const int release = 200 + std::stoi(name.substr(kBeforeMinor));
    at = versions.insert(at, LibraryVersion{name, "NCCL", release}) + 1;
  }
  return versions;
}

// Beginnings of the names of libraries that resemble those in library_versions(), but choose
// otherwise.
constexpr std::array kUnknownLibraries{
    std::string_view("mvapich"),  std::string_view("intel"),   std::string_view("impi"),
    std::string_view("cray"),     std::string_view("hpe"),     std::string_view("oneccl"),
    std::string_view("hpcx"),     std::string_view("hpc-x"),   std::string_view("hcoll"),
    std::string_view("spectrum"), std::string_view("fujitsu"), std::string_view("mpt"),
    std::string_view("ms-mpi"),   std::string_view("msmpi"),   std::string_view("parastation"),
    std::string_view("gloo"),     std::string_view("msccl")};

// Returns the part of a library's name that begins with its first digit, such as "5.0".
std::string_view number_in(std::string_view name) {
  return name.substr(std::min(name.find_first_of(kDecimalDigits), name.size()));
}

// Returns the name of a release of the family, such as "5.0". Returns "" for release 0, the oldest
// known version.
std::string_view since_in_words(std::string_view family, int release) {
  if (release == 0) {
    return "";
  }
  const auto versions = library_versions();
  const auto found = std::ranges::find_if(versions, [&](const LibraryVersion& version) {
    return version.family == family && version.release == release;
  });
  return found == versions.end() ? "" : found->name.substr(family.size() + 1);
}

CatalogueRow row_of(const LibraryAlgorithm& algorithm) {
  CatalogueRow row{algorithm.library,
                   algorithm.collective,
                   algorithm.numbered ? fmt::format("{}", algorithm.id) : "",
                   algorithm.name,
                   since_in_words(algorithm.library, algorithm.since),
                   algorithm.ours,
                   algorithm.tells_tree ? "--tree TYPE" : algorithm.options,
                   algorithm.name == "two_proc"   ? "p = 2"
                   : algorithm.powers_of_two_only ? "p = 2^k"
                                                  : "",
                   algorithm.lacking};
  // library_algorithms.csv lists no equivalent for MPICH's smp algorithms, because these algorithms
  // determine themselves which ranks share a node; a rule cannot specify this.
  if (algorithm.ours.empty() && algorithm.name.ends_with("_intra_smp") &&
      algorithm.collective != scan) {
    row.algorithm = "hierarchical";
    // tutti's hierarchical allreduce has a single composition, so it needs no option.
    row.options = algorithm.collective == allreduce ? "" : "--composition mpich_alpha";
  }
  if (algorithm.fan_is_radix) {
    row.options += row.options.empty() ? "--radix K" : " --radix K";
  }
  return row;
}

}  // namespace

std::span<const LibraryVersion> library_versions() {
  static const std::vector<LibraryVersion> all = make_versions();
  return all;
}

const LibraryVersion* find_library_version(std::string_view text) {
  const std::string wanted = lower_case(text);
  const auto versions = library_versions();
  const auto found = std::ranges::find_if(versions, [&](const LibraryVersion& version) {
    const std::string known = lower_case(version.name);
    // "open mpi 5.0.6" belongs to "Open MPI 5.0".
    return wanted == known ||
           (wanted.starts_with(known + ".") && wanted.size() > known.size() + 1 &&
            has_only_digits(std::string_view(wanted).substr(known.size() + 1)));
  });
  return found == versions.end() ? nullptr : &*found;
}

std::string did_you_mean_library(std::string_view text,
                                 std::span<const std::string_view> accepted) {
  const std::string lower = lower_case(text);
  if (std::ranges::any_of(kUnknownLibraries,
                          [&](std::string_view name) { return lower.starts_with(name); })) {
    return fmt::format("; tutti does not know {}, whose choices differ from theirs",
                       shortened(printable(text)));
  }
  constexpr std::string_view kShort = "ompi";
  const std::string meant = lower.starts_with(kShort)
                                ? fmt::format("Open MPI {}", trimmed(text.substr(kShort.size())))
                                : std::string(text);
  const std::string wanted = plain_name(meant);
  std::vector<std::string> names;
  for (const std::string_view version : accepted) {
    const std::string known = plain_name(version);
    const std::string name =
        std::string(version) + wanted.substr(std::min(known.size(), wanted.size()));
    if (wanted.starts_with(known) && find_library_version(name) != nullptr) {
      return fmt::format("; did you mean '{}'?", name);
    }
    const std::string_view number = number_in(version);
    const std::string_view own = number_in(meant);
    if (number.starts_with(own) || (!number.empty() && own.starts_with(number))) {
      names.emplace_back(version);
    }
  }
  return did_you_mean(meant, names);
}

const LibraryVersion& library_version_named(std::string_view what, std::string_view text) {
  if (const LibraryVersion* const version = find_library_version(text)) {
    return *version;
  }
  std::vector<std::string_view> names;
  for (const LibraryVersion& version : library_versions()) {
    names.push_back(version.name);
  }
  throw UserError(fmt::format("{} '{}': unknown library; expected {}{}", what, text,
                              fmt::join(names, ", "), did_you_mean_library(text, names)));
}

std::vector<CatalogueRow> catalogue_of(const LibraryVersion& version) {
  std::vector<CatalogueRow> rows;
  for (const LibraryAlgorithm& each : rows_of_library(version.family)) {
    if (each.in_release(version.release)) {
      rows.push_back(row_of(each));
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const CatalogueRow& a, const CatalogueRow& b) {
    return a.collective < b.collective ||
           (a.collective == b.collective && a.id.size() == b.id.size() && a.id < b.id);
  });
  return rows;
}

std::vector<CatalogueRow> libraries_of(const Algorithm& algorithm) {
  std::vector<CatalogueRow> rows;
  for (const LibraryAlgorithm& each : library_rows()) {
    CatalogueRow row = row_of(each);
    if (row.collective == algorithm.collective && row.algorithm == algorithm.name) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}}  // namespace tutti::rule_files
