// The rule files of a site: what each library reads, by the name that it has in the site's folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/experiments/sites/site.hpp"

namespace tutti::inline output {

struct SiteFile {
  std::string name;  // "8_per_host/tuned.conf"
  RuleFormat form = RuleFormat::ompi4;
  std::uint32_t ranks_per_host = 0;  // whose it is alone; 0: of all
  std::vector<Collective> collectives;
  std::string text;
};

// By ranks on a host; none for what has no rules.
[[nodiscard]] std::vector<SiteFile> site_files(const Site& site);

}  // namespace tutti::inline output
