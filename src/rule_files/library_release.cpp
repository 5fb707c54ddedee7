#include "src/rule_files/library_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "src/rule_files/mpich/names.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr std::string_view kOpenMpi = "Open MPI";
constexpr std::string_view kMpich = "MPICH";
// The libraries whose rule files tutti knows.
constexpr std::array kFamilies{kOpenMpi, kMpich, std::string_view("NCCL"), std::string_view("RCCL"),
                               std::string_view("UCC")};
constexpr int kOpenMpiMain = 600;

// True for Open MPI 5.0.7 and later, which accept rule files with a header.
bool knows_header(const LibraryRelease& release) {
  constexpr int kFirst = 7;
  return release.release > 500 || (release.release == 500 && release.patch.value_or(0) >= kFirst);
}

RuleFormat form_of_open_mpi(const LibraryRelease& release, std::string_view text) {
  const RuleFormat looks = sniff_format(text);
  if (looks == RuleFormat::han || looks == RuleFormat::ompi6) {
    return looks;
  }
  // If the user gave no patch number for 5.0, the format depends on whether the text has a header.
  const bool header = looks == RuleFormat::ompi5 && release.release == 500 && !release.patch;
  return knows_header(release) || header ? RuleFormat::ompi5 : RuleFormat::ompi4;
}

RuleFormat tree_form(const LibraryRelease& release) {
  return release.release <= 400          ? RuleFormat::mpich
         : release.release <= 402        ? RuleFormat::mpich41
         : release.release < kNamedTrees ? RuleFormat::mpich43
                                         : RuleFormat::mpich51;
}

RuleFormat form_of_mpich(const LibraryRelease& release, std::string_view text) {
  const RuleFormat looks = sniff_format(text);
  if (release.release < kNamedTrees &&
      (looks == RuleFormat::mpich_ch4 || looks == RuleFormat::mpich_posix)) {
    return looks;
  }
  return tree_form(release);
}

// Returns the format of a library that reads a single one.
RuleFormat only_form(const LibraryRelease& release) {
  for (const RuleFormat format : {RuleFormat::rccl, RuleFormat::ucc}) {
    if (release.line->family == rule_form(format).family) {
      return format;
    }
  }
  return RuleFormat::nccl;
}

}  // namespace

LibraryRelease library_release_named(std::string_view what, std::string_view text,
                                     std::span<const std::string_view> accepted) {
  LibraryRelease release;
  release.line = find_library_version(text);
  if (release.line == nullptr) {
    std::vector<std::string_view> names(accepted.begin(), accepted.end());
    for (const LibraryVersion& version : library_versions()) {
      if (accepted.empty() && std::ranges::find(kFamilies, version.family) != kFamilies.end()) {
        names.push_back(version.name);
      }
    }
    throw UserError(fmt::format(
        "{} '{}': unknown library; expected {}, or a patch release, such as \"Open MPI 5.0.6\"{}",
        what, text, fmt::join(names, ", "), did_you_mean_library(text, names)));
  }
  release.name = text;
  const std::string_view family = release.line->family;
  if (std::ranges::find(kFamilies, family) == kFamilies.end()) {
    throw UserError(
        fmt::format("{} '{}': tutti does not know this library's rule files, only those of {}",
                    what, text, fmt::join(kFamilies, ", ")));
  }
  release.release = release.line->release;
  const std::string_view after_version = text.substr(release.line->name.size());  // ".6", or ""
  int patch = 0;
  if (!after_version.empty() &&
      std::from_chars(after_version.data() + 1, after_version.data() + after_version.size(), patch)
              .ec == std::errc()) {
    release.patch = patch;
  }
  return release;
}

RuleFormat form_read_by(const LibraryRelease& release, std::string_view text) {
  if (release.line->family == kOpenMpi) {
    return form_of_open_mpi(release, text);
  }
  return release.line->family == kMpich ? form_of_mpich(release, text) : only_form(release);
}

RuleFormat form_written_for(const LibraryRelease& release) {
  if (release.line->family == kOpenMpi) {
    return release.release >= kOpenMpiMain ? RuleFormat::ompi6
           : knows_header(release)         ? RuleFormat::ompi5
                                           : RuleFormat::ompi4;
  }
  return release.line->family == kMpich ? tree_form(release) : only_form(release);
}

RuleFile read_rules_as(const LibraryRelease& release, std::string_view text,
                       std::optional<RuleFormat> form) {
  const RuleFormat format = form.value_or(form_read_by(release, text));
  // MPICH 5.1 reads its own format only; all earlier releases read one format of selection trees.
  const bool tree = rule_form(format).family == kMpich &&
                    (rule_form(format).names_algorithms || release.release >= kNamedTrees);
  if (rule_form(format).family != release.line->family || (tree && format != tree_form(release))) {
    throw UserError(
        fmt::format("$format '{}': {} does not read this format", name(format), release.name));
  }
  RuleFile file = read_rules(text, format, release.release);
  if (format == RuleFormat::ompi6 && release.release < kOpenMpiMain) {
    file.findings.insert(
        file.findings.begin(),
        {1, true,
         fmt::format("{} does not read JSON, and silently ignores the whole file", release.name)});
  } else if (format == RuleFormat::ompi5 && release.release >= kOpenMpiMain) {
    file.findings.insert(
        file.findings.begin(),
        {1, true,
         fmt::format("{} misreads files in this format: it applies the rules for each communicator "
                     "size to the next size, not as shown below; its own format is JSON",
                     release.name)});
  }
  return file;
}

}}  // namespace tutti::rule_files
