// Reports the rules of a site: on the terminal, in the README beside the files, and as CSV.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "src/experiments/sites/site.hpp"
#include "src/output/site_files.hpp"

namespace tutti::inline output {

// Prints how much faster the rules make each collective, for each number of ranks per host.
// `folder`: where the files were written.
void print_site(const Site& site, const std::string& folder, std::ostream& out);
// Writes Markdown: how each file is loaded, and the gain for each number of ranks and size.
void write_site_readme(const Site& site, const std::vector<SiteFile>& files, std::ostream& out);
// Writes the columns ranks_per_host, collective, ranks, bytes, block_bytes, rules, rules_s,
// built_in, built_in_s, gain.
void write_site_csv(const Site& site, std::ostream& out);

}  // namespace tutti::inline output
