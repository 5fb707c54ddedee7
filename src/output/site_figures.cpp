#include "src/output/site_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "src/experiments/sites/site_request.hpp"
#include "src/formats/call_size.hpp"
#include "src/output/decision_rules.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"

namespace tutti { inline namespace output {

Gains gains_of(const std::vector<SiteCell>& cells) {
  Gains gains;
  gains.cells = cells.size();
  for (const SiteCell& cell : cells) {
    if (const auto gain = cell.gain()) {
      ++gains.known;
      gains.mean += *gain;
      if (gains.most == nullptr || *gain > *gains.most->gain()) {
        gains.most = &cell;
      }
      if (gains.least == nullptr || *gain < *gains.least->gain()) {
        gains.least = &cell;
      }
    }
  }
  gains.mean /= static_cast<double>(std::max<std::size_t>(1, gains.known));
  return gains;
}

std::size_t rules_in(const Site& site, const SitePart& part) {
  std::size_t count = 0;
  const bool mpich = site.release.line->family == "MPICH";
  if (mpich || han_lets_go(part.decision.collective, site.release.release)) {
    for (const std::vector<SiteLevel>& levels : part.levels) {
      count += static_cast<std::size_t>(std::ranges::count(levels, false, &SiteLevel::composed));
    }
  }
  for (const RankDecision& each : part.decision.decisions) {
    for (const SizeInterval& interval : each.intervals) {
      count += !each.borrowed && !part.decision.candidates[interval.candidate].baseline ? 1 : 0;
    }
  }
  return count;
}

std::string per_host(std::uint32_t ranks_per_host) {
  return fmt::format("{} on each host", counted(ranks_per_host, "rank"));
}

std::map<std::uint32_t, std::vector<const SitePart*>> by_hosts(const Site& site) {
  std::map<std::uint32_t, std::vector<const SitePart*>> found;
  for (const SitePart& part : site.parts) {
    found[part.ranks_per_host].push_back(&part);
  }
  return found;
}

std::vector<std::string> left_out(const Site& site) {
  std::vector<std::string> given;
  // For each sentence, the numbers of ranks per host to which it applies.
  std::map<std::string, std::vector<std::string>> too_many;
  for (const SitePart& part : site.parts) {
    const Decision& decision = part.decision;
    if (!decision.too_many_ranks.empty()) {
      too_many[fmt::format("{}: not decided for {} ranks ({}); the library decides itself there",
                           name(decision.collective), fmt::join(decision.too_many_ranks, " and "),
                           with_fields(too_many_messages(decision)))]
          .push_back(fmt::format("{}", part.ranks_per_host));
    }
  }
  given.reserve(too_many.size());
  const bool one = by_hosts(site).size() == 1;
  for (const auto& [what, where] : too_many) {
    given.push_back(one ? what
                        : fmt::format("{} (with {} per host)", what, fmt::join(where, " or ")));
  }
  for (const SiteGap& each : site.undecided) {
    given.push_back(fmt::format("{} with {}: {}", name(each.collective),
                                per_host(each.ranks_per_host), with_fields(each.why)));
  }
  for (const auto& [ranks_per_host, ranks] : site.without_room) {
    if (!ranks.empty()) {
      given.push_back(fmt::format("p = {} with {}: the platform has too few hosts",
                                  fmt::join(ranks, ", "), per_host(ranks_per_host)));
    }
  }
  return given;
}

std::vector<std::string> notes_of(const std::vector<const SitePart*>& parts) {
  std::vector<std::string> notes;
  for (const SitePart* part : parts) {
    const auto& facts = part->decision.facts;
    for (const std::string& note : facts ? facts->facts.notes : std::vector<std::string>()) {
      if (std::ranges::find(notes, note) == notes.end()) {
        notes.push_back(note);
      }
    }
  }
  return notes;
}

std::optional<WorstCell> worst_of(const Site& site) {
  std::optional<WorstCell> worst;
  double least = -kNoticeable;
  for (const SitePart& part : site.parts) {
    for (SiteCell& cell : cells_of(part)) {
      if (const auto gain = cell.gain(); gain && *gain < least) {
        least = *gain;
        worst = {&part, std::move(cell)};
      }
    }
  }
  return worst;
}

double worst_mean_gain(const Site& site) {
  double least = 0;
  for (const SitePart& part : site.parts) {
    std::map<std::uint32_t, std::vector<SiteCell>> by_ranks;
    for (SiteCell& cell : cells_of(part)) {
      by_ranks[cell.ranks].push_back(std::move(cell));
    }
    for (const auto& [ranks, cells] : by_ranks) {
      least = std::min(least, gains_of(cells).mean);
    }
  }
  return least;
}

std::vector<std::string> scope_of(const Site& site) {
  const DecidedRanks ranks = decided_ranks(site);
  const auto by_host = by_hosts(site);
  std::vector<std::string> hosts;
  for (const auto& [ranks_per_host, parts] : by_host) {
    hosts.push_back(fmt::format("{}", ranks_per_host));
  }
  const std::uint32_t most_per_host = by_host.rbegin()->first;
  const std::string on_hosts = by_host.size() == 1
                                   ? per_host(most_per_host)
                                   : fmt::format("{} ranks on each host", fmt::join(hosts, " or "));
  const std::string_view library = site.release.line->name;
  std::vector<std::string> given{fmt::format(
      "the rules are for calls on {}: on fewer and on more ranks (for a collective, more than \"up "
      "to p\") {} decides itself; between two numbers of -p, the rules of the lower one hold if "
      "there "
      "are at most 12 numbers between them, and at sizes at which they are slower on none of these",
      ranks.in_words(), library)};
  if (site.release.line->family == "MPICH") {
    given.push_back(
        fmt::format("they were simulated for {}; with more than {} on a host, {} decides itself, "
                    "and other numbers "
                    "use the rules of the next larger one, which were not simulated for them",
                    on_hosts, most_per_host, library));
    return given;
  }
  given.push_back(fmt::format(
      "they were simulated for {}{}; {}'s files cannot depend on this number, so jobs with others "
      "that load them, and communicators of a part of a job's ranks, use the rules unsimulated",
      on_hosts, by_host.size() > 1 ? " (a folder each)" : "", library));
  for (const SitePart& part : site.parts) {
    LibraryCall call;
    call.collective = part.decision.collective;
    call.ranks = 2 * part.ranks_per_host;
    call.ranks_per_node = part.ranks_per_host;
    if (std::string assumed = assumed_of_open_mpi(site.release.release, call);
        !assumed.empty() && std::ranges::find(given, "assumed: " + assumed) == given.end()) {
      given.push_back("assumed: " + std::move(assumed));
    }
  }
  if (site.release.release >= 500 && most_per_host > 1) {
    given.push_back(
        "where coll/han decides, the parts of calls on more ranks look up the rules of coll/tuned "
        "too; this was checked with as many nodes as a decided number of ranks, if the platform "
        "has them");
  }
  return given;
}

bool any_gain(const Site& site) {
  return std::ranges::any_of(
      site.parts, [](const SitePart& part) { return part.decision.judgement.has_value(); });
}

std::string decided_before_file(const Site& site, const std::vector<SiteFile>& files,
                                const SiteFile& file) {
  const bool both = std::ranges::any_of(files, [&](const SiteFile& other) {
    return other.ranks_per_host == file.ranks_per_host && other.form != file.form;
  });
  return both || file.ranks_per_host == 1
             ? ""
             : decided_before(file.form, site.release.release, file.collectives);
}

}}  // namespace tutti::output
