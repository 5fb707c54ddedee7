#include "src/rule_files/library_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr std::string_view kOpenMpi = "Open MPI";
constexpr std::string_view kMpich = "MPICH";
constexpr int kOpenMpiMain = 600;

// The libraries whose rule files tutti knows.
std::vector<std::string_view> families() {
  std::vector<std::string_view> found;
  for (const RuleFormat format : kRuleFormats) {
    const std::string_view family = rule_form(format).family;
    if (!family.empty() && std::ranges::find(found, family) == found.end()) {
      found.push_back(family);
    }
  }
  return found;
}

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

// Returns the newest form of rules that choose algorithms, among those that the release reads.
RuleFormat newest_form(const LibraryRelease& release) {
  std::vector<RuleFormat> forms;
  std::ranges::copy_if(kRuleFormats, std::back_inserter(forms), [&](RuleFormat each) {
    return rule_form(each).family == release.line->family && rule_form(each).names_algorithms;
  });
  return std::ranges::max(forms, {}, [&](RuleFormat each) {
    const int first = rule_form(each).first_release;
    return first <= release.release ? first : -first;  // without any, the oldest form
  });
}

RuleFormat form_of_mpich(const LibraryRelease& release, std::string_view text) {
  const RuleFormat looks = sniff_format(text);
  const RuleForm& form = rule_form(looks);
  const bool level = form.family == kMpich && !form.names_algorithms;
  return level && release.release <= form.last_release ? looks : newest_form(release);
}

}  // namespace

LibraryRelease library_release_named(std::string_view what, std::string_view text,
                                     std::span<const std::string_view> accepted) {
  const std::vector<std::string_view> known = families();
  LibraryRelease release;
  release.line = find_library_version(text);
  if (release.line == nullptr) {
    std::vector<std::string_view> names(accepted.begin(), accepted.end());
    for (const LibraryVersion& version : library_versions()) {
      if (accepted.empty() && std::ranges::find(known, version.family) != known.end()) {
        names.push_back(version.name);
      }
    }
    throw UserError(fmt::format(
        "{} '{}': unknown library; expected {}, or a patch release, such as \"Open MPI 5.0.6\"{}",
        what, text, fmt::join(names, ", "), did_you_mean_library(text, names)));
  }
  release.name = text;
  const std::string_view family = release.line->family;
  if (std::ranges::find(known, family) == known.end()) {
    throw UserError(
        fmt::format("{} '{}': tutti does not know this library's rule files, only those of {}",
                    what, text, fmt::join(known, ", ")));
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
  return release.line->family == kMpich ? form_of_mpich(release, text) : newest_form(release);
}

RuleFormat form_written_for(const LibraryRelease& release) {
  if (release.line->family == kOpenMpi) {
    return release.release >= kOpenMpiMain ? RuleFormat::ompi6
           : knows_header(release)         ? RuleFormat::ompi5
                                           : RuleFormat::ompi4;
  }
  return newest_form(release);
}

RuleFile read_rules_as(const LibraryRelease& release, std::string_view text,
                       std::optional<RuleFormat> form) {
  const RuleFormat format = form.value_or(form_read_by(release, text));
  // Each release of MPICH reads one format of selection trees.
  const RuleForm& described = rule_form(format);
  const bool tree = described.family == kMpich && described.names_algorithms;
  if (described.family != release.line->family || release.release > described.last_release ||
      (tree && format != newest_form(release))) {
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
