#include "src/output/site_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/shell_word.hpp"
#include "src/experiments/sites/site_request.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/decision_text.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNotKnown = "not known";

struct Gains {
  std::size_t cells = 0;
  std::size_t known = 0;  // number of cells in which the library's own schedule is known
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

std::string gain_in_words(double gain, ShareForm form) {
  return form == ShareForm::factor || gain > kNoticeable || gain < -kNoticeable
             ? longer_in_words(gain, form)
             : "0";
}

// Returns the form in which the gains of all these cells are printed.
ShareForm form_of_gains(const std::vector<SiteCell>& cells) {
  const Gains gains = gains_of(cells);
  return share_form(gains.most == nullptr ? 0 : *gains.most->gain());
}

// Returns the number of rules for a part in all files: those of the table for all ranks, and those
// that select this table in place of a composition.
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

// Groups the parts by ranks per host.
std::map<std::uint32_t, std::vector<const SitePart*>> by_hosts(const Site& site) {
  std::map<std::uint32_t, std::vector<const SitePart*>> found;
  for (const SitePart& part : site.parts) {
    found[part.ranks_per_host].push_back(&part);
  }
  return found;
}

// Describes what is not decided, and why: a sentence for each reason.
std::vector<std::string> left_out(const Site& site) {
  std::vector<std::string> said;
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
  said.reserve(too_many.size());
  const bool one = by_hosts(site).size() == 1;
  for (const auto& [what, where] : too_many) {
    said.push_back(one ? what
                       : fmt::format("{} (with {} per host)", what, fmt::join(where, " or ")));
  }
  for (const SiteUndecided& each : site.undecided) {
    said.push_back(fmt::format("{} with {}: {}", name(each.collective),
                               per_host(each.ranks_per_host), with_fields(each.why)));
  }
  for (const auto& [ranks_per_host, ranks] : site.without_room) {
    if (!ranks.empty()) {
      said.push_back(fmt::format("p = {} with {}: the platform has too few hosts",
                                 fmt::join(ranks, ", "), per_host(ranks_per_host)));
    }
  }
  return said;
}

// Returns the notes on the platform, without duplicates.
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

// A cell, and the part of the site to which it belongs.
struct WorstCell {
  const SitePart* part = nullptr;
  SiteCell cell;
};
// Returns the cell in which the rules lose most; nothing if they lose in no cell.
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

// Computes the mean gain over all sizes for each part of the site and each number of ranks. Returns
// the smallest of these means, or 0 if none is negative.
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

// Returns a row of gains.csv.
Json cell_json(const SitePart& part, const SiteCell& cell) {
  const Collective collective = part.decision.collective;
  return {{"ranks_per_host", part.ranks_per_host},
          {"collective", name(collective)},
          {"ranks", cell.ranks},
          {"bytes", cell.bytes},
          {"block_bytes",
           owns_parts(collective) ? Json((cell.bytes + cell.ranks - 1) / cell.ranks) : Json()},
          {"rules", cell.rules},
          {"rules_s", or_null(cell.rules_s)},
          {"built_in", or_null(cell.built_in)},
          {"built_in_s", or_null(cell.built_in_s)},
          {"gain", or_null(cell.gain())}};
}

// Returns cell_json(), with the calls of the profile if there is one.
Json called_cell_json(const Site& site, const SitePart& part, const SiteCell& cell) {
  Json json = cell_json(part, cell);
  if (site.profile) {
    json["calls"] = cell.calls;
    json["saved_s"] = or_null(saved_s(cell));
  }
  return json;
}

// Describes how much time the rules lose, on average over sizes and in the worst cell.
std::string losses_in_words(const Site& site) {
  const double mean = worst_mean_gain(site);
  const std::string means =
      mean > -1e-9
          ? fmt::format("averaged over sizes, no rule is slower than {}'s own choice",
                        site.release.line->name)
          : fmt::format("averaged over sizes, rules are up to {:.2f} % slower than {}'s own choice",
                        -100 * mean, site.release.line->name);
  const auto worst = worst_of(site);
  if (!worst) {
    return means + "; none is slower in any cell whose times are known";
  }
  const SitePart& part = *worst->part;
  return fmt::format("{}; the worst cell is {} with {}, {}: {:.2f} % slower", means,
                     name(part.decision.collective), per_host(part.ranks_per_host),
                     ranks_and_size(part.decision.collective, worst->cell.bytes, worst->cell.ranks),
                     100 * (*worst->cell.rules_s / *worst->cell.built_in_s - 1));
}

// Describes which calls the rules decide, one sentence each.
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
  std::vector<std::string> said{fmt::format(
      "the rules are for calls on {}: on fewer and on more ranks (for a collective, more than \"up "
      "to p\") {} decides itself; between two numbers of -p, the rules of the lower one hold if "
      "there "
      "are at most 12 numbers between them, and at sizes at which they are slower on none of these",
      ranks.in_words(), library)};
  if (site.release.line->family == "MPICH") {
    said.push_back(
        fmt::format("they were simulated for {}; with more than {} on a host, {} decides itself, "
                    "and other numbers "
                    "use the rules of the next larger one, which were not simulated for them",
                    on_hosts, most_per_host, library));
    return said;
  }
  said.push_back(fmt::format(
      "they were simulated for {}{}; {}'s files cannot depend on this number, so jobs with others "
      "that load them, and communicators of a part of a job's ranks, use the rules unsimulated",
      on_hosts, by_host.size() > 1 ? " (a folder each)" : "", library));
  for (const SitePart& part : site.parts) {
    LibraryCall call;
    call.collective = part.decision.collective;
    call.ranks = 2 * part.ranks_per_host;
    call.ranks_per_node = part.ranks_per_host;
    if (std::string assumed = assumed_of_open_mpi(site.release.release, call);
        !assumed.empty() && std::ranges::find(said, "assumed: " + assumed) == said.end()) {
      said.push_back("assumed: " + std::move(assumed));
    }
  }
  if (site.release.release >= 500 && most_per_host > 1) {
    said.push_back(
        "where coll/han decides, the parts of calls on more ranks look up the rules of coll/tuned "
        "too; this was checked with as many nodes as a decided number of ranks, if the platform "
        "has them");
  }
  return said;
}

bool any_gain(const Site& site) {
  return std::ranges::any_of(
      site.parts, [](const SitePart& part) { return part.decision.judgement.has_value(); });
}

std::string title_of(const Site& site) {
  const Decision& any = site.parts.front().decision;
  const std::string on =
      any.machines.front().spec.made_on_the_fly() || !any.facts
          ? "a crossbar, made on the fly"
          : fmt::format("{}, {} hosts", any.facts->facts.name, any.facts->facts.hosts);
  return fmt::format("Rules for {}, on {}", site.release.name, on);
}

// Writes how to load files with these settings: with mpirun, with other launchers, and, for Open
// MPI, for all users of a machine.
void write_settings(std::span<const LoadSetting> settings, std::ostream& out) {
  const std::vector<std::string> parameters = load_parameters(settings);
  fmt::print(out, "    {}{} PROGRAM\n\n", load_command(settings),
             parameters.empty() ? " mpirun" : "");
  out << "The same as environment variables, for `srun` and others:\n\n";
  for (const LoadSetting& each : settings) {
    fmt::print(out, "    export {}\n", each.as_variable());
  }
  out << '\n';
  if (parameters.empty()) {
    return;
  }
  out << "The same for all users, in Open MPI's `etc/openmpi-mca-params.conf`, with this "
         "folder's path instead of `$RULES`:\n\n";
  for (const std::string& parameter : parameters) {
    fmt::print(out, "    {}\n", parameter);
  }
  out << '\n';
}

// Returns a text that says what takes precedence over the rules of `file`. Returns "" if the same
// jobs also load a file of another format, because the two files contain these settings.
std::string decided_before_file(const Site& site, const std::vector<SiteFile>& files,
                                const SiteFile& file) {
  const bool both = std::ranges::any_of(files, [&](const SiteFile& other) {
    return other.ranks_per_host == file.ranks_per_host && other.form != file.form;
  });
  return both || file.ranks_per_host == 1
             ? ""
             : decided_before(file.form, site.release.release, file.collectives);
}

void write_loading(const Site& site, const std::vector<SiteFile>& files, std::ostream& out) {
  if (files.empty()) {
    out << "There is no file to load: no rule is faster than the library's own choice.\n\n";
    return;
  }
  out << "## Loading them\n\nFrom this folder, or with its path instead of `$PWD`:\n\n    export "
         "RULES=\"$PWD\"\n\n";
  std::set<std::uint32_t> whose;
  for (const SiteFile& file : files) {
    whose.insert(file.ranks_per_host);
  }
  std::set<std::string> sentences;
  for (const std::uint32_t ranks_per_host : whose) {
    std::vector<LoadSetting> settings;
    for (const SiteFile& file : files) {
      if (file.ranks_per_host == ranks_per_host) {
        std::ranges::move(load_settings(file.form, file.name, "RULES"),
                          std::back_inserter(settings));
        if (const std::string before = decided_before_file(site, files, file); !before.empty()) {
          sentences.insert(before);
        }
      }
    }
    if (ranks_per_host > 0) {
      fmt::print(out, "Jobs with {}:\n\n", per_host(ranks_per_host));
    }
    write_settings(settings, out);
  }
  for (const std::string& sentence : sentences) {
    fmt::print(out, "{}\n\n", sentence);
  }
  if (site.release.line->family == "Open MPI") {
    fmt::print(out, "Components that tutti does not model: {}.\n\n", kOtherComponents);
  }
  out << "| file | what it decides |\n|---|---|\n";
  for (const SiteFile& file : files) {
    std::vector<std::string_view> names;
    names.reserve(file.collectives.size());
    for (const Collective collective : file.collectives) {
      names.push_back(name(collective));
    }
    const bool level = file.form == RuleFormat::han || file.form == RuleFormat::mpich_ch4;
    fmt::print(out, "| `{}` | {} {} |\n", file.name,
               level ? "whether a hierarchical algorithm or the table for all ranks decides:"
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
  const Collective collective = part.decision.collective;
  const bool blocks = part.decision.sizes_are_blocks;
  fmt::print(out, "### {}, {}{}\n\n", name(collective), per_host(part.ranks_per_host),
             blocks ? ", by block size" : "");
  std::set<std::uint64_t> sizes;
  std::map<std::uint32_t, std::map<std::uint64_t, const SiteCell*>> by_ranks;
  for (const SiteCell& cell : cells) {
    const std::uint64_t size = blocks ? cell.bytes / cell.ranks : cell.bytes;
    sizes.insert(size);
    by_ranks[cell.ranks][size] = &cell;
  }
  const ShareForm form = form_of_gains(cells);
  out << "| p |";
  for (const std::uint64_t bytes : sizes) {
    fmt::print(out, " {} |", collective == Collective::barrier ? "gain" : human_bytes(bytes));
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
      fmt::print(out, " {} |",
                 found == row.end() ? "-"
                 : gain             ? gain_in_words(*gain, form)
                                    : kNotKnown);
    }
    out << '\n';
  }
  out << '\n';
}

}  // namespace

void print_site(const Site& site, const std::vector<SiteFile>& files, const std::string& folder,
                const std::string& parameters, std::ostream& out) {
  print_heading(out, title_of(site));
  const std::string against(site.release.line->name);
  ShareForm form = ShareForm::percent;  // of all gains
  for (const SitePart& part : site.parts) {
    form = std::max(form, form_of_gains(cells_of(part)));
  }
  for (const auto& [ranks_per_host, parts] : by_hosts(site)) {
    out << '\n';
    print_heading(out, per_host(ranks_per_host));
    for (const std::string& note : notes_of(parts)) {
      print_field(out, 2, 5, "note", note);
    }
    Table table({{"collective"},
                 {"up to p", true, 2},
                 {"rules", true, 1},
                 {"gain", true},
                 {"smallest", true, 3},
                 {"largest", true},
                 {"where the gain is largest"}});
    for (const SitePart* part : parts) {
      const std::vector<SiteCell> cells = cells_of(*part);
      const Gains gains = gains_of(cells);
      const bool any = gains.most != nullptr && *gains.most->gain() > kNoticeable;
      const std::size_t rules = rules_in(site, *part);
      table.add(
          {std::string(name(part->decision.collective)),
           cells.empty() ? "-" : fmt::format("{}", cells.back().ranks), fmt::format("{}", rules),
           gains.known == 0 ? kNotKnown : gain_in_words(gains.mean, form),
           gains.known == 0 ? kNotKnown : gain_in_words(*gains.least->gain(), form),
           gains.known == 0 ? kNotKnown : gain_in_words(*gains.most->gain(), form),
           any                ? fmt::format("{}: {} instead of {}",
                                            ranks_and_size(part->decision.collective, gains.most->bytes,
                                                           gains.most->ranks),
                                            gains.most->rules, gains.most->built_in)
           : gains.known == 0 ? std::string("the time of the library's own choice is not known")
           : gains.known < gains.cells
               ? fmt::format(
                     "no rule is faster than the library's own choice, which is known in {} "
                     "of {} cells",
                     gains.known, gains.cells)
           : rules > 0 ? std::string("the rules are as fast as the library's own choice")
                       : std::string("no rule is faster than the library's own choice")},
          any ? Style::best : Style::plain, 3);
    }
    table.print(out, 2);
  }
  out << '\n';
  constexpr std::size_t kFieldKey = 10;
  print_field(
      out, 2, kFieldKey, "gain",
      fmt::format("time of {}'s own choice over time with these rules{}; mean, smallest and "
                  "largest over all cells",
                  against,
                  form == ShareForm::percent ? ", less 1 (50 %: 1.5 times as fast with the rules)"
                                             : " (2 x: twice as fast with the rules)"));
  if (any_gain(site)) {
    print_field(out, 2, kFieldKey, "losses", losses_in_words(site));
  }
  for (const std::string& each : scope_of(site)) {
    print_field(out, 2, kFieldKey, "for", each);
  }
  for (const std::string& each : left_out(site)) {
    print_field(out, 2, kFieldKey, "left out", each);
  }
  if (!folder.empty()) {
    print_field(out, 2, kFieldKey, "written",
                files.empty()
                    ? fmt::format("{}, without rule files, because no rule is faster", folder)
                    : fmt::format("{}; {}/README.md says how each file is loaded", folder, folder));
  }
  print_field(out, 2, kFieldKey, "before use",
              fmt::format("times are simulated{}: measure with and without the rules before you "
                          "install them",
                          parameters.empty()
                              ? fmt::format(", with ideal prices (no {})", flag_of("parameters"))
                              : ""));
}

void write_site_readme(const Site& site, const std::vector<SiteFile>& files,
                       const std::string& parameters, std::ostream& out) {
  const Decision& any = site.parts.front().decision;
  fmt::print(out, "# {}\n\n", title_of(site));
  fmt::print(out,
             "Decided by tutti, times by {}; each additional rule saves at least {:.3g} % of the "
             "time.\n\n",
             name(any.by), 100 * any.limits.tolerance);
  for (const auto& [ranks_per_host, parts] : by_hosts(site)) {
    for (const std::string& note : notes_of(parts)) {
      fmt::print(out, "With {}: {}.\n\n", per_host(ranks_per_host), note);
    }
  }
  out << (parameters.empty()
              ? fmt::format("Prices of messages: ideal, as the platform has them, without {}.\n\n",
                            flag_of("parameters"))
              : fmt::format("Prices of messages: {} {}.\n\n", flag_of("parameters"),
                            shell_path(parameters)));
  out << "Times are simulated: measure with and without the rules before you install them.\n\n";
  write_loading(site, files, out);
  out << "## Which calls they decide\n\n";
  for (const std::string& each : scope_of(site)) {
    fmt::print(out, "- {}\n", each);
  }
  out << '\n';
  const auto said = left_out(site);
  if (!said.empty()) {
    out << "## What is left out\n\n";
    for (const std::string& each : said) {
      fmt::print(out, "- {}\n", each);
    }
    out << '\n';
  }
  fmt::print(
      out,
      "## What is gained\n\nTime of {}'s own choice over time with these rules, by ranks and size: "
      "as a factor (`2.00 x`: twice as fast) in tables with a gain above 100 %, otherwise less 1, "
      "in percent. The size is n, the largest buffer that a rank holds, or the block (n / p, as "
      "benchmarks count) where the heading says so. `0`: less than 0.05 %; `not known`: tutti has "
      "no schedule of the library's own choice, so no rule is written there; `-`: not decided. "
      "`gains.csv` has the times and the algorithms; its `gain` is a ratio, 1 for 100 %.\n\n",
      site.release.line->name);
  if (any_gain(site)) {
    fmt::print(out, "Losses: {}.\n\n", losses_in_words(site));
  }
  for (const SitePart& part : site.parts) {
    write_gains(part, out);
  }
}

void write_site_json(const Site& site, const std::vector<SiteFile>& files,
                     const std::string& folder, const std::string& parameters, std::ostream& out) {
  const Decision& any = site.parts.front().decision;
  Json json;
  json["schema"] = "tutti-site/1";
  json["library"] = site.release.name;
  json["format"] = name(site.form);
  json["by"] = name(any.by);
  json["tolerance"] = any.limits.tolerance;
  json["machine"] = decision_machine_json(any);
  json["machine"].erase("ranks_per_host");
  json["parameters"] = or_null(parameters);
  json["folder"] = or_null(folder);
  json["files"] = json_array(files, [&](const SiteFile& file) -> Json {
    const std::vector<LoadSetting> settings =
        folder.empty() ? load_settings(file.form, file.name, "RULES")
                       : load_settings(file.form, folder + "/" + file.name);
    return {
        {"file", file.name},
        {"format", name(file.form)},
        {"ranks_per_host", file.ranks_per_host > 0 ? Json(file.ranks_per_host) : Json()},
        {"collectives", json_array(file.collectives, [](Collective each) { return name(each); })},
        {"loaded_with", load_command(settings)},
        {"environment",
         json_array(settings, [](const LoadSetting& each) { return each.as_variable(); })},
        {"decided_before", or_null(decided_before_file(site, files, file))}};
  });
  json["gains"] = json_array(site.parts, [&](const SitePart& part) -> Json {
    const std::vector<SiteCell> cells = cells_of(part);
    const Gains gains = gains_of(cells);
    return {{"ranks_per_host", part.ranks_per_host},
            {"collective", name(part.decision.collective)},
            {"up_to_ranks", cells.empty() ? Json() : Json(cells.back().ranks)},
            {"rules", rules_in(site, part)},
            {"cells", gains.cells},
            {"known", gains.known},
            {"mean", gains.known > 0 ? Json(gains.mean) : Json()},
            {"least", gains.known > 0 ? cell_json(part, *gains.least) : Json()},
            {"most", gains.known > 0 ? cell_json(part, *gains.most) : Json()},
            {"notes", notes_of({&part})}};
  });
  const auto worst = worst_of(site);
  json["losses"] = any_gain(site)
                       ? Json{{"least_mean_gain", worst_mean_gain(site)},
                              {"worst", worst ? cell_json(*worst->part, worst->cell) : Json()}}
                       : Json();
  json["applies_to"] = scope_of(site);
  json["left_out"] = left_out(site);
  if (site.profile) {
    json["profile"] = savings_json(site);
  }
  json["cells"] = Json::array();
  for (const SitePart& part : site.parts) {
    for (const SiteCell& cell : cells_of(part)) {
      json["cells"].push_back(called_cell_json(site, part, cell));
    }
  }
  write_document(json, 1, out);
}

void write_site_csv(const Site& site, std::ostream& out) {
  Json names = called_cell_json(site, site.parts.front(), SiteCell{});
  out << csv_names_line(names);
  for (const SitePart& part : site.parts) {
    for (const SiteCell& cell : cells_of(part)) {
      out << csv_values_line(names, called_cell_json(site, part, cell));
    }
  }
}

}}  // namespace tutti::output
