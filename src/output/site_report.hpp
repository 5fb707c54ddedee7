// Reports on a site: on the terminal, in the README beside its rule files, as JSON and as CSV.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "src/experiments/sites/site_files.hpp"

namespace tutti::inline output {

// Prints how much faster the rules make each collective, for each number of ranks per host.
// `folder`: where the files were written. `parameters`: value of --parameters, "" if not given.
void print_site(const Site& site, const std::vector<SiteFile>& files, const std::string& folder,
                const std::string& parameters, std::ostream& out);
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
