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
  std::uint32_t ranks_per_host = 0;  // the file is for jobs with this many; 0: for all jobs
  std::vector<Collective> collectives;
  std::string text;
};

// Returns the files ordered by ranks per host. There is no file for collectives without rules.
[[nodiscard]] std::vector<SiteFile> site_files(const Site& site);

}  // namespace tutti::inline output
