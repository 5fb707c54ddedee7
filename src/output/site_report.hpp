// Reports on a site: on the terminal, in the README beside its rule files, as JSON and as CSV.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/sites/site_files.hpp"
#include "src/formats/document.hpp"

namespace tutti { inline namespace output {

// Prints how much faster the rules make each collective, for each number of ranks per host.
// `folder`: where the files were written. `parameters`: value of --parameters, "" if not given.
void print_site(const Site& site, const std::vector<SiteFile>& files, const std::string& folder,
                const std::string& parameters, std::ostream& out);
// With a profile: prints how many seconds the rules save the program, by size of its calls.
void print_savings(const Site& site, std::ostream& out);
// These seconds, as sums over all calls of the profile, which the site must have.
[[nodiscard]] FieldView savings_fields();
inline constexpr FieldsOf<Site> kSavingsFields{savings_fields};
// Returns the seconds that the rules save in all calls of a cell; empty if a time is unknown.
[[nodiscard]] std::optional<double> saved_s(const SiteCell& cell);
// Writes Markdown: how each file is loaded, and the gain for each number of ranks and size.
void write_site_readme(const Site& site, const std::vector<SiteFile>& files,
                       const std::string& parameters, std::ostream& out);
// Everything that print_site() prints, how each file is loaded, and every cell.
struct SiteAnswer {
  const Site& site;
  const std::vector<SiteFile>& files;
  std::string folder;
  std::string parameters;
};
extern const DocumentOf<SiteAnswer> kSiteReportDocument;
// Writes the columns ranks_per_host, collective, ranks, bytes, block_bytes, rules, rules_s,
// built_in, built_in_s, gain and, with a profile, calls and saved_s.
void write_site_csv(const Site& site, std::ostream& out);

}}  // namespace tutti::output
