// Figures of a site, which its reports and its document show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/sites/site_files.hpp"

namespace tutti { inline namespace output {

struct Gains {
  std::size_t cells = 0;
  std::size_t known = 0;  // number of cells in which the library's own schedule is known
  double mean = 0;
  const SiteCell* most = nullptr;
  const SiteCell* least = nullptr;
};
[[nodiscard]] Gains gains_of(const std::vector<SiteCell>& cells);
// Returns the number of rules for a part in all files: those of the table for all ranks, and those
// that select this table in place of a composition.
[[nodiscard]] std::size_t rules_in(const Site& site, const SitePart& part);
[[nodiscard]] std::string per_host(std::uint32_t ranks_per_host);
// Groups the parts by ranks per host.
[[nodiscard]] std::map<std::uint32_t, std::vector<const SitePart*>> by_hosts(const Site& site);
// Describes what is not decided, and why: a sentence for each reason.
[[nodiscard]] std::vector<std::string> left_out(const Site& site);
// Returns the notes on the platform, without duplicates.
[[nodiscard]] std::vector<std::string> notes_of(const std::vector<const SitePart*>& parts);

// A cell, and the part of the site to which it belongs.
struct WorstCell {
  const SitePart* part = nullptr;
  SiteCell cell;
};
// Returns the cell in which the rules lose most; nothing if they lose in no cell.
[[nodiscard]] std::optional<WorstCell> worst_of(const Site& site);
// Computes the mean gain over all sizes for each part of the site and each number of ranks. Returns
// the smallest of these means, or 0 if none is negative.
[[nodiscard]] double worst_mean_gain(const Site& site);
// Describes which calls the rules decide, one sentence each.
[[nodiscard]] std::vector<std::string> scope_of(const Site& site);
[[nodiscard]] bool any_gain(const Site& site);
// Returns a text that says what takes precedence over the rules of `file`. Returns "" if the same
// jobs also load a file of another format, because the two files contain these settings.
[[nodiscard]] std::string decided_before_file(const Site& site, const std::vector<SiteFile>& files,
                                              const SiteFile& file);

}}  // namespace tutti::output
