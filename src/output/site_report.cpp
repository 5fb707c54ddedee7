#include "src/output/site_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

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
#include "src/formats/made_by.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/decision_text.hpp"
#include "src/output/site_figures.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr const char* kNotKnown = "not known";

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
  const auto lines = left_out(site);
  if (!lines.empty()) {
    out << "## What is left out\n\n";
    for (const std::string& each : lines) {
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

}}  // namespace tutti::output
