// How many seconds the rules for a site save a program whose calls are known.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/time_column.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/profile_output.hpp"
#include "src/output/site_report.hpp"

namespace tutti { inline namespace output {

namespace {

struct CalledCell {
  const SitePart* part = nullptr;
  SiteCell cell;
};

// All calls of the profile that are decided. Seconds are sums over the calls for which both times
// are known.
struct Savings {
  std::vector<CalledCell> cells;  // largest saving first
  double before_s = 0;
  double after_s = 0;
  double untold_calls = 0;  // number of calls for which a time is unknown
};

Savings savings_of(const Site& site) {
  Savings savings;
  for (const SitePart& part : site.parts) {
    for (SiteCell& cell : cells_of(part)) {
      if (saved_s(cell)) {
        savings.before_s += cell.calls * *cell.built_in_s;
        savings.after_s += cell.calls * *cell.rules_s;
      } else {
        savings.untold_calls += cell.calls;
      }
      savings.cells.push_back({&part, std::move(cell)});
    }
  }
  std::ranges::stable_sort(savings.cells, [](const CalledCell& a, const CalledCell& b) {
    return saved_s(a.cell).value_or(0) > saved_s(b.cell).value_or(0);
  });
  return savings;
}

void print_cells(const Savings& savings, std::ostream& out) {
  constexpr std::size_t kMostShown = 20;
  const std::size_t shown = std::min(savings.cells.size(), kMostShown);
  std::vector<double> times;
  for (std::size_t i = 0; i < shown; ++i) {
    const SiteCell& cell = savings.cells[i].cell;
    times.push_back(cell.calls * cell.built_in_s.value_or(0));
  }
  const TimeUnit unit = unit_of_column(times);
  const auto time = [&](double calls, const std::optional<double>& seconds) {
    return seconds ? unit.print(calls * *seconds) : std::string("not known");
  };
  Table table({{fmt::format("saved {}", unit.name), true},
               {"collective"},
               {"p", true},
               {"n", true},
               {"calls", true, 1},
               {fmt::format("before {}", unit.name), true, 1},
               {fmt::format("after {}", unit.name), true, 1},
               {"before", false, 2},
               {"with the rules"}});
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [part, cell] = savings.cells[i];
    const Collective collective = part->decision.collective;
    const auto saved = saved_s(cell);
    table.add({saved ? unit.print(*saved) : "not known", std::string(name(collective)),
               fmt::format("{}", cell.ranks),
               collective == Collective::barrier ? "-" : human_bytes(cell.bytes),
               calls_in_words(cell.calls), time(cell.calls, cell.built_in_s),
               time(cell.calls, cell.rules_s), cell.built_in, cell.rules});
  }
  table.print(out, 2);
  if (shown < savings.cells.size()) {
    print_field(out, 2, 0, "",
                fmt::format("and {} more; gains.csv has all",
                            counted(savings.cells.size() - shown, "size")));
  }
}

}  // namespace

std::optional<double> saved_s(const SiteCell& cell) {
  return cell.built_in_s && cell.rules_s
             ? std::optional(cell.calls * (*cell.built_in_s - *cell.rules_s))
             : std::nullopt;
}

void print_savings(const Site& site, std::ostream& out) {
  const Savings savings = savings_of(site);
  const Profile& profile = *site.profile;
  print_heading(
      out, fmt::format("{}, {}: {}", printable(profile.file), profile.form,
                       saving_in_words(savings.before_s, savings.after_s, savings.untold_calls)));
  out << '\n';
  print_cells(savings, out);
  for (const std::string& assumed : profile.assumed) {
    print_field(out, 2, 5, "note", assumed);
  }
}

namespace {

constexpr auto kSavings = fields<Site>({
    {"file", [](const Site& site) { return site.profile->file; }},
    {"form", [](const Site& site) { return site.profile->form; }},
    {"assumed", [](const Site& site) { return site.profile->assumed; }},
    {"before_s", [](const Site& site) { return savings_of(site).before_s; }},
    {"after_s", [](const Site& site) { return savings_of(site).after_s; }},
    {"saved_s",
     [](const Site& site) {
       const Savings savings = savings_of(site);
       return savings.before_s - savings.after_s;
     },
     any_sign},
    {"untold_calls", [](const Site& site) { return savings_of(site).untold_calls; },
     "Number of calls that are in no sum, because one of their times is not known."},
});

}  // namespace

FieldView savings_fields() { return kSavings.view(); }

}}  // namespace tutti::output
