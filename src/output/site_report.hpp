// What a site is told of its rules: on the screen, in the page beside the files, and line by line.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "src/experiments/sites/site.hpp"
#include "src/output/site_files.hpp"

namespace tutti::inline output {

// What each collective gains, by ranks on a host. `folder`: where the files are; "" for none.
void print_site(const Site& site, const std::string& folder, std::ostream& out);
// Markdown: how each file is loaded, and what is gained for each number of ranks and size.
void write_site_readme(const Site& site, const std::vector<SiteFile>& files, std::ostream& out);
// Columns ranks_per_host, collective, ranks, bytes, rules, rules_s, built_in, built_in_s, gain.
void write_site_csv(const Site& site, std::ostream& out);

}  // namespace tutti::inline output
