// The rule files of a site, with their names in the site's folder.
#pragma once

#include <cstdint>
#include <string>
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

// Returns the files ordered by ranks per host. Collectives without rules are left out of the files.
[[nodiscard]] std::vector<SiteFile> site_files(const Site& site);

}  // namespace tutti::inline output
