#include "src/rule_files/library_release.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "src/rule_files/mpich_names.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti::inline rule_files {

namespace {

constexpr std::string_view kOpenMpi = "Open MPI";
constexpr std::string_view kMpich = "MPICH";
constexpr std::string_view kNccl = "NCCL";
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
  return release.release <= 400   ? RuleFormat::mpich
         : release.release <= 402 ? RuleFormat::mpich41
                                  : RuleFormat::mpich43;
}

RuleFormat form_of_mpich(const LibraryRelease& release, std::string_view text) {
  const RuleFormat looks = sniff_format(text);
  if (looks == RuleFormat::mpich_ch4 || looks == RuleFormat::mpich_posix) {
    return looks;
  }
  return tree_form(release);
}

}  // namespace

LibraryRelease library_release_named(std::string_view what, std::string_view text) {
  LibraryRelease release;
  release.line = find_library_version(text);
  if (release.line == nullptr) {
    std::vector<std::string> names;
    for (const LibraryVersion& version : library_versions()) {
      if (version.family == kOpenMpi || version.family == kMpich || version.family == kNccl) {
        names.emplace_back(version.name);
      }
    }
    throw UserError(fmt::format(
        "{} '{}': unknown library; expected {}, or a patch release, such as \"Open MPI 5.0.6\"{}",
        what, text, fmt::join(names, ", "), did_you_mean_library(text)));
  }
  release.name = text;
  const std::string_view family = release.line->family;
  if (family != kOpenMpi && family != kMpich && family != kNccl) {
    throw UserError(fmt::format(
        "{} '{}': tutti does not know this library's rule files, only those of {}, {} and {}", what,
        text, kOpenMpi, kMpich, kNccl));
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
  return release.line->family == kMpich ? form_of_mpich(release, text) : RuleFormat::nccl;
}

RuleFormat form_written_for(const LibraryRelease& release) {
  if (release.line->family == kOpenMpi) {
    return release.release >= kOpenMpiMain ? RuleFormat::ompi6
           : knows_header(release)         ? RuleFormat::ompi5
                                           : RuleFormat::ompi4;
  }
  return release.line->family == kMpich ? tree_form(release) : RuleFormat::nccl;
}

RuleFile read_rules_as(const LibraryRelease& release, std::string_view text,
                       std::optional<RuleFormat> form) {
  const RuleFormat format = form.value_or(form_read_by(release, text));
  const bool tree =
      format == RuleFormat::mpich || format == RuleFormat::mpich41 || format == RuleFormat::mpich43;
  if (rule_form(format).family != release.line->family || (tree && format != tree_form(release))) {
    throw UserError(
        fmt::format("--format '{}': {} does not read this format", name(format), release.name));
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

}  // namespace tutti::inline rule_files
