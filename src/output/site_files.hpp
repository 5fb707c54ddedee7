// The rule files of a site, with their names in the site's folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/experiments/sites/site.hpp"

namespace tutti::inline output {

struct SiteFile {
  std::string name;  // "8_per_host/tuned.conf"
  RuleFormat form = RuleFormat::ompi4;
  // the file is for jobs with this number of ranks per host; 0: for all jobs
  std::uint32_t ranks_per_host = 0;
  std::vector<Collective> collectives;
  std::string text;
};

// Returns the files ordered by ranks per host. No file mentions collectives without rules.
[[nodiscard]] std::vector<SiteFile> site_files(const Site& site);

}  // namespace tutti::inline output
