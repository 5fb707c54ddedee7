// The document tutti-site/1, and the table of --csv.
#include <ostream>
#include <utility>

#include "src/formats/csv.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/decision_text.hpp"
#include "src/output/site_figures.hpp"
#include "src/output/site_report.hpp"
#include "src/rule_files/decides_before.hpp"

namespace tutti { inline namespace output {

namespace { namespace site_fields {

// A cell of a part of the site.
struct Cell {
  const SitePart& part;
  SiteCell cell;
};

constexpr auto kCell = fields<Cell>({
    {"ranks_per_host", [](const Cell& of) { return of.part.ranks_per_host; }, at_least(1)},
    {"collective", [](const Cell& of) { return name(of.part.decision.collective); }},
    {"ranks", [](const Cell& of) { return of.cell.ranks; }, at_least(1)},
    {"bytes", [](const Cell& of) { return of.cell.bytes; },
     "Size of the largest buffer that any rank holds."},
    {"block_bytes",
     [](const Cell& of) {
       return value_if(owns_parts(of.part.decision.collective),
                       (of.cell.bytes + of.cell.ranks - 1) / of.cell.ranks);
     },
     "bytes / ranks, as benchmarks count. null if ranks do not own blocks of the vector."},
    {"rules", [](const Cell& of) { return of.cell.rules; },
     "What the library runs with the rules."},
    {"rules_s", [](const Cell& of) { return of.cell.rules_s; }},
    {"built_in", [](const Cell& of) { return text_if_any(of.cell.built_in); },
     "What the library runs without the rules. null if it is not known."},
    {"built_in_s", [](const Cell& of) { return of.cell.built_in_s; }},
    {"gain", [](const Cell& of) { return of.cell.gain(); }, any_sign,
     "built_in_s / rules_s - 1. null if one of the two is not known."},
});

// A cell with the calls of the profile, if there is one.
struct CalledCell {
  Cell cell;
  bool has_calls;
};

constexpr auto kCalledCell = fields<CalledCell>({
    {kCell, [](const CalledCell& of) -> const Cell& { return of.cell; }},
    {"calls", [](const CalledCell& of) { return value_if(of.has_calls, of.cell.cell.calls); },
     absent, "Number of calls in the profile. Absent without a profile."},
    {"saved_s", [](const CalledCell& of) { return value_if(of.has_calls, saved_s(of.cell.cell)); },
     any_sign,
     "calls x (built_in_s - rules_s). null if one of the two is not known. Absent without a "
     "profile."},
});

std::vector<CalledCell> all_cells(const Site& site) {
  std::vector<CalledCell> cells;
  for (const SitePart& part : site.parts) {
    for (SiteCell& cell : cells_of(part)) {
      cells.push_back({{part, std::move(cell)}, site.profile.has_value()});
    }
  }
  return cells;
}

using File = PartOf<SiteAnswer, SiteFile>;

std::vector<LoadSetting> settings_of(const File& of) {
  return of.whole.folder.empty()
             ? load_settings(of.part.form, of.part.name, "RULES")
             : load_settings(of.part.form, of.whole.folder + "/" + of.part.name);
}

std::vector<std::string_view> collectives_of(const File& of) {
  std::vector<std::string_view> names;
  for (const Collective each : of.part.collectives) {
    names.push_back(name(each));
  }
  return names;
}

std::vector<std::string> variables_of(const File& of) {
  std::vector<std::string> variables;
  for (const LoadSetting& each : settings_of(of)) {
    variables.push_back(each.as_variable());
  }
  return variables;
}

constexpr auto kFile = fields<File>({
    {"file", [](const File& of) -> const auto& { return of.part.name; }, "Path in the folder."},
    {"format", [](const File& of) { return name(of.part.form); }},
    {"ranks_per_host",
     [](const File& of) { return value_if(of.part.ranks_per_host > 0, of.part.ranks_per_host); },
     at_least(1),
     "The file is for jobs with this number of ranks per host. null if it is for all jobs."},
    {"collectives", from<collectives_of>, items_from(1)},
    {"loaded_with", [](const File& of) { return load_command(settings_of(of)); },
     "Command line or environment variable that loads the file."},
    {"environment", from<variables_of>,
     "Environment variables that load the file, as NAME=VALUE, for srun and other launchers."},
    {"decided_before",
     [](const File& of) {
       return text_if_any(decided_before_file(of.whole.site, of.whole.files, of.part));
     },
     "What takes precedence over the rules. null if nothing does, or if another file of these jobs "
     "has these settings."},
});

// The gains of a part of the site.
struct PartGains {
  const Site& site;
  const SitePart& part;
  std::vector<SiteCell> cells;

  [[nodiscard]] std::optional<Cell> cell(const SiteCell* Gains::*which) const {
    const Gains gains = gains_of(cells);
    return gains.known > 0 ? std::optional<Cell>({part, *(gains.*which)}) : std::nullopt;
  }
};

std::vector<PartGains> gains_of_parts(const SiteAnswer& answer) {
  std::vector<PartGains> all;
  for (const SitePart& part : answer.site.parts) {
    all.push_back({answer.site, part, cells_of(part)});
  }
  return all;
}

constexpr auto kGains = fields<PartGains>({
    {"ranks_per_host", [](const PartGains& of) { return of.part.ranks_per_host; }, at_least(1)},
    {"collective", [](const PartGains& of) { return name(of.part.decision.collective); }},
    {"up_to_ranks",
     [](const PartGains& of) {
       return of.cells.empty() ? std::nullopt : std::optional(of.cells.back().ranks);
     },
     at_least(1), "Largest number of ranks that was decided."},
    {"rules", [](const PartGains& of) { return rules_in(of.site, of.part); },
     "Number of rules in all files."},
    {"cells", [](const PartGains& of) { return of.cells.size(); },
     "Number of cells (ranks and size)."},
    {"known", [](const PartGains& of) { return gains_of(of.cells).known; },
     "Number of cells whose gain is known. If it is 0, mean, least and most are null."},
    {"mean",
     [](const PartGains& of) {
       const Gains gains = gains_of(of.cells);
       return value_if(gains.known > 0, gains.mean);
     },
     any_sign, "Mean gain over the known cells."},
    {"least", kCell, [](const PartGains& of) { return of.cell(&Gains::least); },
     "The cell with the smallest gain."},
    {"most", kCell, [](const PartGains& of) { return of.cell(&Gains::most); },
     "The cell with the largest gain."},
    {"notes", [](const PartGains& of) { return notes_of({&of.part}); }, "Notes on the platform."},
});

constexpr auto kLosses = fields<Site>({
    {"least_mean_gain", from<worst_mean_gain>, any_sign | at_most(0),
     "Smallest mean gain over sizes of any collective, number of ranks per host and number of "
     "ranks; 0 if none is negative."},
    {"worst", kCell,
     [](const Site& site) {
       const auto worst = worst_of(site);
       return worst ? std::optional<Cell>({*worst->part, worst->cell}) : std::nullopt;
     },
     "The cell in which the rules lose most. null if they lose in none."},
});

const Decision& any_decision(const SiteAnswer& answer) {
  return answer.site.parts.front().decision;
}

constexpr auto kSite = fields<SiteAnswer>({
    {"library", [](const SiteAnswer& of) { return of.site.release.name; },
     "Name of the library's release."},
    {"format", [](const SiteAnswer& of) { return name(of.site.form); },
     "Format of the tables of rules, as --export names it."},
    {"by", [](const SiteAnswer& of) { return name(any_decision(of).by); },
     "Source of the times, as --by names it."},
    {"tolerance", [](const SiteAnswer& of) { return any_decision(of).limits.tolerance; },
     "Each additional rule saves at least this share of the time."},
    {"machine", kSiteMachineFields,
     [](const SiteAnswer& of) { return any_decision(of).facts ? &any_decision(of) : nullptr; },
     "The machine, as in tutti-decide/2, without ranks_per_host."},
    {"parameters", [](const SiteAnswer& of) { return text_if_any(of.parameters); },
     "The file of --parameters. null without this option: prices are ideal."},
    {"folder", [](const SiteAnswer& of) { return text_if_any(of.folder); },
     "Folder of the files. null if they were not written, and in the folder itself: $RULES stands "
     "for it."},
    {"files", kFile, [](const SiteAnswer& of) { return parts_of(of, of.files); },
     "The rule files. Empty if no rule is faster than the library's own choice."},
    {"gains", kGains, from<gains_of_parts>, items_from(1),
     "The gains of each collective, for each number of ranks per host."},
    {"losses", kLosses, [](const SiteAnswer& of) { return any_gain(of.site) ? &of.site : nullptr; },
     "Where the rules are slower than the library's own choice. null if the times of this choice "
     "are not known."},
    {"applies_to", [](const SiteAnswer& of) { return scope_of(of.site); },
     "Which calls the rules decide, and for which of them they were not simulated."},
    {"left_out", [](const SiteAnswer& of) { return left_out(of.site); },
     "What is not decided, and why."},
    {"profile", kSavingsFields,
     [](const SiteAnswer& of) { return of.site.profile ? &of.site : nullptr; }, absent,
     "The program of --profile, and the seconds that its collectives take without and with the "
     "rules. Absent without this option."},
    {"cells", kCalledCell, [](const SiteAnswer& of) { return all_cells(of.site); },
     "All cells, as in gains.csv."},
});

}}  // namespace ::site_fields

extern const DocumentOf<SiteAnswer> kSiteReportDocument{
    {"tutti-site/1",
     "rules with which a site configures a library, and their gains, as written by tutti decide "
     "--library --json",
     site_fields::kSite.view()}};

void write_site_csv(const Site& site, std::ostream& out) {
  const FieldView columns = site_fields::kCalledCell.view();
  const site_fields::CalledCell any{{site.parts.front(), SiteCell{}}, site.profile.has_value()};
  out << csv_names_line(columns, &any);
  for (const site_fields::CalledCell& cell : site_fields::all_cells(site)) {
    out << csv_values_line(columns, &cell);
  }
}

}}  // namespace tutti::output
