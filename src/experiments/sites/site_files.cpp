#include "src/experiments/sites/site_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "src/rule_files/mpich/compositions.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"
#include "src/rule_files/rule_form.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti { inline namespace experiments {

namespace {

std::set<std::uint32_t> hosts_held(const Site& site) {
  std::set<std::uint32_t> found;
  for (const SitePart& part : site.parts) {
    found.insert(part.ranks_per_host);
  }
  return found;
}

std::string made_by(const Site& site, std::uint32_t ranks_per_host) {
  const std::string on = ranks_per_host == 0 ? ""
                         : ranks_per_host == 1
                             ? ", for 1 rank per host"
                             : fmt::format(", for {} ranks per host", ranks_per_host);
  return fmt::format(
      "rules for {}{}, decided by tutti for {}; the library decides itself on others",
      site.release.name, on, decided_ranks(site).in_words());
}

SiteFile file_of(std::string name, RuleFormat form, std::uint32_t ranks_per_host) {
  SiteFile file;
  file.name = std::move(name);
  file.form = form;
  file.ranks_per_host = ranks_per_host;
  return file;
}

// Returns the text of a file with `rules`. `ranks_per_host`: see made_by().
std::string text_of(std::vector<RulesToWrite> rules, const Site& site,
                    std::uint32_t ranks_per_host) {
  rules.front().made_by = made_by(site, ranks_per_host);
  rules.front().release = site.release.release;
  std::ostringstream text;
  write_rules(rules, site.form, text);
  return text.str();
}

// Converts a size to the size by which Open MPI's coll/han chooses: for allgather, gather and
// scatter, the size of a rank's block.
std::uint64_t as_han_counts(Collective collective, std::uint64_t bytes, std::uint32_t ranks) {
  const bool block = collective == Collective::allgather || collective == Collective::gather ||
                     collective == Collective::scatter;
  return block ? (bytes + ranks - 1) / ranks : bytes;
}

// True if the library's own choice of a level applies between this number of ranks and the next
// one.
bool levels_end(const SitePart& part, std::size_t rank_index) {
  const auto& levels = part.levels[rank_index];
  return !part.decision.decisions[rank_index].ends_at.empty() &&
         std::ranges::any_of(levels, [](const SiteLevel& each) { return !each.composed; });
}

std::optional<SiteFile> han_file(const Site& site, std::uint32_t ranks_per_host,
                                 const std::string& folder) {
  HanRulesToWrite han;
  han.release = site.release.release;
  han.made_by = made_by(site, ranks_per_host);
  SiteFile file = file_of(folder + "han.conf", RuleFormat::han, ranks_per_host);
  for (const SitePart& part : site.parts) {
    const Collective collective = part.decision.collective;
    if (part.ranks_per_host != ranks_per_host || part.levels.empty() ||
        !han_lets_go(collective, han.release)) {
      continue;
    }
    HanCollective rules;
    rules.collective = collective;
    const auto leave = [&rules](std::uint32_t from_ranks) {
      const HanSize own{0, "han"};
      if (rules.ranks.empty() || rules.ranks.back().sizes != std::vector{own}) {
        rules.ranks.push_back({from_ranks, {own}});
      }
    };
    leave(1);
    bool any = false;  // true if a rule chooses something other than coll/han, the default
    for (std::size_t r = 0; r < part.levels.size(); ++r) {
      HanRanks ranks;
      ranks.from_ranks = part.decision.decisions[r].ranks;
      for (const SiteLevel& level : part.levels[r]) {
        HanSize size;
        size.from_bytes =
            as_han_counts(collective, level.from_bytes, part.decision.decisions[r].ranks);
        size.component = level.composed ? "han" : "tuned";
        if (!ranks.sizes.empty() && ranks.sizes.back().from_bytes == size.from_bytes) {
          ranks.sizes.pop_back();
        }
        ranks.sizes.push_back(std::move(size));
        any = any || !level.composed;
      }
      if (!ranks.sizes.empty() && rules.ranks.back().sizes != ranks.sizes) {
        rules.ranks.push_back(std::move(ranks));
      }
      if (levels_end(part, r)) {
        leave(part.decision.decisions[r].ranks + 1);
      }
    }
    leave(part.decision.decisions.back().ranks + 1);
    if (any) {
      file.collectives.push_back(collective);
      han.collectives.push_back(std::move(rules));
    }
  }
  if (han.collectives.empty()) {
    return std::nullopt;
  }
  std::ostringstream text;
  write_han_rules(han, text);
  file.text = text.str();
  return file;
}

// Returns the file with the table of rules for jobs with `ranks_per_host` ranks per host. If there
// are no rules, SiteFile::collectives is empty.
SiteFile table_by_hosts(const Site& site, std::uint32_t ranks_per_host, std::string name,
                        const WhyRule& why) {
  std::vector<RulesToWrite> rules;
  SiteFile table = file_of(std::move(name), site.form, ranks_per_host);
  for (const SitePart& part : site.parts) {
    if (part.ranks_per_host == ranks_per_host) {
      rules.push_back(rules_to_write(part.decision, why));
      if (rules.back().steps.empty()) {
        rules.pop_back();
      } else {
        table.collectives.push_back(part.decision.collective);
      }
    }
  }
  if (!rules.empty()) {
    table.text = text_of(std::move(rules), site, ranks_per_host);
  }
  return table;
}

// Adds the files for a library whose tables cannot test the number of ranks per host: a separate
// table for each number of ranks per host.
void add_by_hosts(const Site& site, std::string_view table_name, const WhyRule& why,
                  std::vector<SiteFile>& files) {
  const auto held = hosts_held(site);
  for (const std::uint32_t ranks_per_host : held) {
    const std::string folder = held.size() > 1 ? fmt::format("{}_per_host/", ranks_per_host) : "";
    SiteFile table = table_by_hosts(site, ranks_per_host, folder + std::string(table_name), why);
    if (!table.collectives.empty()) {
      table.ranks_per_host = held.size() > 1 ? ranks_per_host : 0;
      files.push_back(std::move(table));
    }
    if (auto han = han_file(site, ranks_per_host, folder)) {
      han->ranks_per_host = held.size() > 1 ? ranks_per_host : 0;
      files.push_back(std::move(*han));
    }
  }
}

// Returns the parts of one collective, ordered by ranks per host.
std::vector<const SitePart*> parts_of(const Site& site, Collective collective) {
  std::vector<const SitePart*> parts;
  for (const SitePart& part : site.parts) {
    if (part.decision.collective == collective) {
      parts.push_back(&part);
    }
  }
  return parts;
}

std::vector<Collective> collectives_of(const Site& site) {
  std::set<Collective> found;
  for (const SitePart& part : site.parts) {
    found.insert(part.decision.collective);
  }
  return {found.begin(), found.end()};
}

// Returns the largest average number of ranks per node for which MPICH's rules are certainly none
// of the decided ones; 0 if there is none. With R ranks on each node but the last, the average is
// above R / 2 if there are several nodes. `least` has the smallest decided number of ranks per
// host.
std::uint32_t too_few_per_node(const SitePart& least) {
  const bool several_nodes = least.decision.ranks.front() > least.ranks_per_host;
  return several_nodes ? least.ranks_per_host / 2 : 0;
}

void add_compositions(const Site& site, std::vector<SiteFile>& files) {
  CompositionsToWrite compositions;
  compositions.release = site.release.release;
  SiteFile file = file_of("ch4.json", RuleFormat::mpich_ch4, 0);
  for (const Collective collective : collectives_of(site)) {
    CompositionRules rules;
    rules.collective = collective;
    bool any = false;  // true if a rule differs from the built-in choice
    const std::vector<const SitePart*> parts = parts_of(site, collective);
    if (const std::uint32_t few = too_few_per_node(*parts.front()); few > 0) {
      rules.nodes.push_back({few, {CompositionRanks{}}});
    }
    for (const SitePart* part : parts) {
      CompositionNodes nodes;
      nodes.ranks_per_node = part->ranks_per_host;
      const auto leave = [&nodes](std::uint32_t from_ranks) {
        if (nodes.ranks.empty() || !nodes.ranks.back().sizes.empty()) {
          nodes.ranks.push_back({from_ranks, {}});
        }
      };
      leave(0);
      for (std::size_t r = 0; r < part->levels.size(); ++r) {
        CompositionRanks ranks;
        ranks.from_ranks = part->decision.decisions[r].ranks;
        for (const SiteLevel& level : part->levels[r]) {
          any = any || !level.composed;
          ranks.sizes.push_back(
              {level.from_bytes,
               level.composed ? level.composition
                              : std::string(flat_composition(collective, compositions.release))});
        }
        if (!ranks.sizes.empty() && nodes.ranks.back().sizes != ranks.sizes) {
          nodes.ranks.push_back(std::move(ranks));
        }
        if (levels_end(*part, r)) {
          leave(part->decision.decisions[r].ranks + 1);
        }
      }
      leave(part->decision.decisions.back().ranks + 1);
      rules.nodes.push_back(std::move(nodes));
    }
    if (any) {
      rules.nodes.push_back({std::nullopt, {CompositionRanks{}}});
      file.collectives.push_back(collective);
      compositions.collectives.push_back(std::move(rules));
    }
  }
  if (compositions.collectives.empty()) {
    return;
  }
  std::ostringstream text;
  write_compositions(compositions, text);
  file.text = text.str();
  files.push_back(std::move(file));
}

// Adds the files for MPICH. A single file serves all numbers of ranks per host, because MPICH's
// selection trees can test this number.
void add_mpich(const Site& site, const WhyRule& why, std::vector<SiteFile>& files) {
  std::vector<RulesToWrite> rules;
  SiteFile file = file_of("coll.json", site.form, 0);
  for (const Collective collective : collectives_of(site)) {
    std::vector<RulesToWrite> own;
    const std::vector<const SitePart*> parts = parts_of(site, collective);
    if (const std::uint32_t few = too_few_per_node(*parts.front()); few > 0) {
      own.emplace_back().collective = collective;
      own.back().ranks_per_node = few;
    }
    for (const SitePart* part : parts) {
      own.push_back(rules_to_write(part->decision, why));
      own.back().ranks_per_node = part->ranks_per_host;
    }
    if (std::ranges::any_of(own, [](const RulesToWrite& each) { return !each.steps.empty(); })) {
      file.collectives.push_back(collective);
      std::ranges::move(own, std::back_inserter(rules));
    }
  }
  if (rules.empty()) {
    return;
  }
  file.text = text_of(std::move(rules), site, 0);
  files.push_back(std::move(file));
  add_compositions(site, files);
}

}  // namespace

std::vector<SiteFile> site_files(const Site& site, const WhyRule& why) {
  std::vector<SiteFile> files;
  switch (site.form) {
    case RuleFormat::ompi4:
    case RuleFormat::ompi5:
      add_by_hosts(site, "tuned.conf", why, files);
      break;
    case RuleFormat::ompi6:
      add_by_hosts(site, "tuned.json", why, files);
      break;
    default:
      add_mpich(site, why, files);
  }
  return files;
}

InstalledRules rules_in_force(const Site& site, std::uint32_t ranks_per_host) {
  InstalledRules rules;
  for (const SiteFile& file : site_files(site, nullptr)) {
    if (file.ranks_per_host == 0 || file.ranks_per_host == ranks_per_host) {
      RuleFile read = read_rules_as(site.release, file.text, file.form);
      TUTTI_INVARIANT(read.sound());
      rules.add(file.name, file.text, std::move(read), site.release);
    }
  }
  return rules;
}

}}  // namespace tutti::experiments
