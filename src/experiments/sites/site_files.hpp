// The rule files of a site, with their names in the site's folder.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/built_in/installed_rules.hpp"
#include "src/experiments/decisions/decision.hpp"
#include "src/experiments/sites/site.hpp"

namespace tutti { inline namespace experiments {

struct SiteFile {
  std::string name;  // path within the folder of the site, such as "8_per_host/tuned.conf"
  RuleFormat form = RuleFormat::ompi4;
  // The file is for jobs with this number of ranks per host; 0: for all jobs.
  std::uint32_t ranks_per_host = 0;
  std::vector<Collective> collectives;
  std::string text;
};

// Names of the rule files, without their folder.
inline constexpr std::array<std::string_view, 5> kSiteFileNames{
    "tuned.conf", "tuned.json", "han.conf", "coll.json", "ch4.json"};
// Name of the file in a site's folder with the document that 'tutti report' shows.
inline constexpr std::string_view kSiteDocument = "site.json";
// Returns the library that reads the file: "Open MPI" or "MPICH".
[[nodiscard]] constexpr std::string_view site_file_family(std::string_view name) {
  return name == "coll.json" || name == "ch4.json" ? "MPICH" : "Open MPI";
}

// Returns the files ordered by ranks per host. Collectives without rules are left out of the files.
// `why` describes each rule.
[[nodiscard]] std::vector<SiteFile> site_files(const Site& site, const WhyRule& why);

// Returns the rules that the library reads from the site's files for jobs with `ranks_per_host`
// ranks per host.
[[nodiscard]] InstalledRules rules_in_force(const Site& site, std::uint32_t ranks_per_host);

}}  // namespace tutti::experiments
