// The rule files of a site, with their names in the site's folder, and reports on the site: on the
// terminal, in the README beside the files, and as CSV.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "src/experiments/sites/site.hpp"

namespace tutti::inline output {

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
// Returns the library that reads the file: "Open MPI" or "MPICH".
[[nodiscard]] constexpr std::string_view site_file_family(std::string_view name) {
  return name == "coll.json" || name == "ch4.json" ? "MPICH" : "Open MPI";
}

// Returns the files ordered by ranks per host. Collectives without rules are left out of the files.
[[nodiscard]] std::vector<SiteFile> site_files(const Site& site);

// Prints how much faster the rules make each collective, for each number of ranks per host.
// `folder`: where the files were written. `parameters`: value of --parameters, "" if not given.
void print_site(const Site& site, const std::string& folder, const std::string& parameters,
                std::ostream& out);
// Writes Markdown: how each file is loaded, and the gain for each number of ranks and size.
void write_site_readme(const Site& site, const std::vector<SiteFile>& files,
                       const std::string& parameters, std::ostream& out);
// Writes everything that print_site() prints, how each file is loaded, and every cell. The schema
// is src/formats/schemas/tutti-site-1.schema.json.
void write_site_json(const Site& site, const std::vector<SiteFile>& files,
                     const std::string& folder, const std::string& parameters, std::ostream& out);
// Writes the columns ranks_per_host, collective, ranks, bytes, block_bytes, rules, rules_s,
// built_in, built_in_s, gain.
void write_site_csv(const Site& site, std::ostream& out);

}  // namespace tutti::inline output
