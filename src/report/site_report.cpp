#include "src/report/site_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/human.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/text_table.hpp"
#include "src/report/decision_rules.hpp"
#include "src/rule_files/decides_before.hpp"

namespace tutti {

namespace {

// A gain of less is a matter of rounding.
constexpr double kGains = 5e-4;

struct Gains {
  std::size_t cells = 0;
  std::size_t known = 0;  // of which a schedule is known that is the library's
  double mean = 0;
  const SiteCell* most = nullptr;
  const SiteCell* least = nullptr;
};

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

std::string place_of(const SiteCell& cell, Collective collective) {
  return collective == Collective::barrier
             ? fmt::format("p = {}", cell.ranks)
             : fmt::format("p = {}, n = {}", cell.ranks, human_bytes(cell.bytes));
}

std::string gain_in_words(double gain) {
  return gain > kGains    ? longer_in_words(gain)
         : gain < -kGains ? fmt::format("{:.1f} %", 100 * gain)
                          : "0";
}

std::size_t rules_in(const SitePart& part) {
  std::size_t count = 0;
  for (const RankDecision& each : part.decision.decisions) {
    if (!each.borrowed) {
      count += each.reigns.size();
    }
  }
  return count;
}

std::string per_host(std::uint32_t ranks_per_host) {
  return fmt::format("{} on each host", counted(ranks_per_host, "rank"));
}

// "With 8 ranks on each host", of all collectives.
std::map<std::uint32_t, std::vector<const SitePart*>> by_hosts(const Site& site) {
  std::map<std::uint32_t, std::vector<const SitePart*>> found;
  for (const SitePart& part : site.parts) {
    found[part.ranks_per_host].push_back(&part);
  }
  return found;
}

// What is not decided, and why.
std::vector<std::string> left_out(const Site& site) {
  std::vector<std::string> said;
  std::map<std::string, std::vector<std::string>> too_many;  // by what, where
  for (const SitePart& part : site.parts) {
    if (!part.decision.too_many_ranks.empty()) {
      too_many[fmt::format("{} from {} ranks on", name(part.decision.collective),
                           part.decision.too_many_ranks.front())]
          .push_back(fmt::format("{}", part.ranks_per_host));
    }
  }
  said.reserve(too_many.size());
  for (const auto& [what, where] : too_many) {
    said.push_back(fmt::format(
        "{} with {} on a host: {}; the rules of the largest number of ranks before serve", what,
        fmt::join(where, " and "), too_many_messages(site.parts.front().decision)));
  }
  for (const SiteUndecided& each : site.undecided) {
    said.push_back(fmt::format("{} with {}: {}", name(each.collective),
                               per_host(each.ranks_per_host), each.why));
  }
  for (const auto& [ranks_per_host, ranks] : site.without_room) {
    if (!ranks.empty()) {
      said.push_back(fmt::format("p = {} with {}: the platform has no room for them",
                                 fmt::join(ranks, ", "), per_host(ranks_per_host)));
    }
  }
  return said;
}

std::string title_of(const Site& site) {
  const Decision& any = site.parts.front().decision;
  const std::string on =
      any.machines.front().made_on_the_fly() || !any.facts
          ? "a crossbar, made on the fly"
          : fmt::format("{}, {} hosts", any.facts->facts.name, any.facts->facts.hosts);
  return fmt::format("Rules for {}, on {}", site.release.name, on);
}

// "mpirun A" and "mpirun B": "mpirun A B"; variables stand before.
std::string loaded_together(const std::vector<std::string>& lines) {
  constexpr std::string_view kRun = "mpirun ";
  std::string text;
  for (const std::string& line : lines) {
    const bool options = line.starts_with(kRun);
    const std::string_view more =
        options && !text.empty() ? std::string_view(line).substr(kRun.size()) : line;
    text += fmt::format("{}{}", text.empty() ? "" : " ", more);
  }
  return text.starts_with(kRun) ? text + " PROGRAM" : text + " mpirun PROGRAM";
}

void write_loading(const Site& site, const std::vector<SiteFile>& files, std::ostream& out) {
  out << "## Loading them\n\nFrom this folder, or with its path in place of `$PWD`:\n\n"
         "    export RULES=$PWD\n\n";
  std::set<std::uint32_t> whose;
  for (const SiteFile& file : files) {
    whose.insert(file.ranks_per_host);
  }
  std::set<std::string> sentences;
  for (const std::uint32_t ranks_per_host : whose) {
    std::vector<std::string> lines;
    for (const SiteFile& file : files) {
      if (file.ranks_per_host == ranks_per_host) {
        lines.push_back(load_line(file.form, "$RULES/" + file.name));
        // With the file of the level before, what that is told is in it.
        const bool before = std::ranges::any_of(files, [&](const SiteFile& other) {
          return other.ranks_per_host == ranks_per_host && other.form != file.form;
        });
        for (const std::string& sentence :
             decided_before(file.form, site.release.release, file.collectives)) {
          if (!before && ranks_per_host != 1) {
            sentences.insert(sentence);
          }
        }
      }
    }
    if (ranks_per_host > 0) {
      fmt::print(out, "Jobs with {}:\n\n", per_host(ranks_per_host));
    }
    fmt::print(out, "    {}\n\n", loaded_together(lines));
  }
  for (const std::string& sentence : sentences) {
    fmt::print(out, "{}\n\n", sentence);
  }
  out << "| file | what it decides |\n|---|---|\n";
  for (const SiteFile& file : files) {
    std::vector<std::string_view> names;
    names.reserve(file.collectives.size());
    for (const Collective collective : file.collectives) {
      names.push_back(name(collective));
    }
    const bool level = file.form == RuleFormat::han || file.form == RuleFormat::mpich_ch4;
    fmt::print(
        out, "| `{}` | {} {} |\n", file.name,
        level
            ? "who decides, a composition of parts on nodes and between them, or the table for all "
              "ranks:"
            : "the algorithm of",
        fmt::join(names, ", "));
  }
  out << '\n';
}

void write_gains(const SitePart& part, std::ostream& out) {
  const std::vector<SiteCell> cells = cells_of(part);
  if (cells.empty()) {
    return;
  }
  fmt::print(out, "### {}, {}\n\n", name(part.decision.collective), per_host(part.ranks_per_host));
  std::set<std::uint64_t> sizes;
  std::map<std::uint32_t, std::map<std::uint64_t, const SiteCell*>> by_ranks;
  for (const SiteCell& cell : cells) {
    sizes.insert(cell.bytes);
    by_ranks[cell.ranks][cell.bytes] = &cell;
  }
  out << "| p |";
  for (const std::uint64_t bytes : sizes) {
    fmt::print(out, " {} |",
               part.decision.collective == Collective::barrier ? "gain" : human_bytes(bytes));
  }
  out << "\n|---|";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    out << "---|";
  }
  out << '\n';
  for (const auto& [ranks, row] : by_ranks) {
    fmt::print(out, "| {} |", ranks);
    for (const std::uint64_t bytes : sizes) {
      const auto found = row.find(bytes);
      const auto gain = found == row.end() ? std::nullopt : found->second->gain();
      fmt::print(out, " {} |", gain ? gain_in_words(*gain) : "not known");
    }
    out << '\n';
  }
  out << '\n';
}

}  // namespace

std::string too_many_messages(const Decision& decision) {
  return fmt::format("what might be the best has more than {} (--messages-at-most)",
                     counted(decision.most_messages.value_or(0), "message"));
}

void print_site(const Site& site, const std::string& folder, std::ostream& out) {
  print_heading(out, title_of(site));
  const std::string against(site.release.line->name);
  for (const auto& [ranks_per_host, parts] : by_hosts(site)) {
    out << '\n';
    print_heading(out, per_host(ranks_per_host));
    Table table({{"collective"},
                 {"up to p", true, 2},
                 {"rules", true, 1},
                 {"gain", true},
                 {"at least", true, 3},
                 {"at most", true},
                 {"where, and what the library has built in"}});
    for (const SitePart* part : parts) {
      const std::vector<SiteCell> cells = cells_of(*part);
      const Gains gains = gains_of(cells);
      const bool any = gains.most != nullptr && *gains.most->gain() > kGains;
      table.add(
          {std::string(name(part->decision.collective)),
           part->decision.ranks.empty() ? "-" : fmt::format("{}", part->decision.ranks.back()),
           fmt::format("{}", rules_in(*part)),
           gains.known == 0 ? "not known" : gain_in_words(gains.mean),
           gains.known == 0 ? "not known" : gain_in_words(*gains.least->gain()),
           gains.known == 0 ? "not known" : gain_in_words(*gains.most->gain()),
           any                ? fmt::format("{}: {} in place of {}",
                                            place_of(*gains.most, part->decision.collective), gains.most->rules,
                                            gains.most->built_in)
           : gains.known == 0 ? std::string("no time is known of what is built in")
           : gains.known < gains.cells
               ? fmt::format("the library has the best built in where that is known, in {} of {} "
                             "cells",
                             gains.known, gains.cells)
               : std::string("the library has the best built in")},
          any ? Style::best : Style::plain, 3);
    }
    table.print(out, 2);
  }
  out << '\n';
  constexpr std::size_t kKey = 10;
  print_field(
      out, 2, kKey, "gain",
      fmt::format("how much longer what {} has built in takes than the rules do (100 %: twice as "
                  "long): in the "
                  "mean over all cells, at least and at most; negative where a rule for a range of "
                  "sizes is slower, or one that serves parts of a composition too",
                  against));
  for (const std::string& each : left_out(site)) {
    print_field(out, 2, kKey, "left out", each);
  }
  if (!folder.empty()) {
    print_field(out, 2, kKey, "written",
                fmt::format("{}; {}/README.md says how each file is loaded", folder, folder));
  }
}

void write_site_readme(const Site& site, const std::vector<SiteFile>& files, std::ostream& out) {
  const Decision& any = site.parts.front().decision;
  fmt::print(out, "# {}\n\n", title_of(site));
  fmt::print(out,
             "Decided by tutti, times by {}; a rule more saves at least {:.3g} % of the time.\n\n",
             name(any.by), 100 * any.limits.tolerance);
  write_loading(site, files, out);
  const auto said = left_out(site);
  if (!said.empty()) {
    out << "## What is left out\n\n";
    for (const std::string& each : said) {
      fmt::print(out, "- {}\n", each);
    }
    out << '\n';
  }
  fmt::print(out,
             "## What is gained\n\nHow much longer what {} has built in takes than these rules do, "
             "by ranks and size (n: the largest buffer that a rank holds). `0`: the same, or less "
             "than 0.05 %; not known: one of the two has no schedule, and is in no mean; negative: "
             "there a rule is slower "
             "that serves a range of sizes, or that serves the parts of a composition as it does "
             "whole communicators of as many ranks. `gains.csv` has the times and what "
             "runs.\n\n",
             site.release.line->name);
  for (const SitePart& part : site.parts) {
    write_gains(part, out);
  }
}

void write_site_csv(const Site& site, std::ostream& out) {
  out << "ranks_per_host,collective,ranks,bytes,rules,rules_s,built_in,built_in_s,gain\n";
  const auto number = [](std::optional<double> value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (const SitePart& part : site.parts) {
    for (const SiteCell& cell : cells_of(part)) {
      fmt::print(out, "{},{},{},{},{},{},{},{},{}\n", part.ranks_per_host,
                 name(part.decision.collective), cell.ranks, cell.bytes, csv_field(cell.rules),
                 number(cell.rules_s), csv_field(cell.built_in), number(cell.built_in_s),
                 number(cell.gain()));
    }
  }
}

}  // namespace tutti
