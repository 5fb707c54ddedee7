#include "src/output/layouts_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/step_text.hpp"

namespace tutti { inline namespace output {

namespace {

// Returns the names of all groups that communicate in some layout.
std::vector<std::string> groups_of_layouts(const LayoutComparison& comparison) {
  std::vector<std::string> groups;
  for (const ComparedLayout& each : comparison.layouts) {
    for (const std::string& group : each.groups) {
      if (std::ranges::find(groups, group) == groups.end()) {
        groups.push_back(group);
      }
    }
  }
  return groups;
}

// Returns the options of the other machines, in the order in which the cases were given.
std::vector<std::string> other_machines(const LayoutComparison& comparison) {
  std::vector<std::string> all;
  for (const ComparedLayout& each : comparison.layouts) {
    all.resize(std::max<std::size_t>(all.size(), each.machine));
    if (each.machine > 0) {
      all[each.machine - 1] = each.options;
    }
  }
  return all;
}

std::string machine_in_words(const ComparedLayout& each) {
  return each.machine == 0 ? "given" : human_count(each.machine);
}

// Returns the layout and, if there are several, the machine.
std::string case_in_words(const ComparedLayout& each, bool machines) {
  return fmt::format("{}{}{}", layout_in_words(each.given),
                     each.given.empty() || !machines ? "" : ", ",
                     !machines           ? ""
                     : each.machine == 0 ? "given machine"
                                         : fmt::format("machine {}", each.machine));
}

Table table_of_layouts(const LayoutComparison& comparison, const std::vector<std::string>& groups) {
  const std::vector<ComparedLayout>& layouts = comparison.layouts;
  std::vector<TableColumn> columns;
  columns.push_back({"machine", false, 0, !other_machines(comparison).empty()});
  for (const LayoutAxis& axis : layouts.front().layout) {
    columns.push_back({axis.name, true});
  }
  const bool core = std::ranges::any_of(layouts, [](const ComparedLayout& each) {
    return each.of_last.core_wait_s > 1e-9 * each.total_s;
  });
  columns.insert(columns.end(), {{"ranks", true},
                                 {"step", true},
                                 {"x best", true},
                                 {"computing", true},
                                 {"core", true, 0, core},
                                 {"exposed", true}});
  for (const std::string& group : groups) {
    columns.push_back({fmt::format("on {}", group), true, 1});
  }
  Table table(std::move(columns));
  for (const ComparedLayout& each : layouts) {
    if (!each.refusal.empty()) {
      continue;
    }
    std::vector<std::string> cells{machine_in_words(each)};
    for (const LayoutAxis& axis : each.layout) {
      cells.push_back(human_count(axis.size));
    }
    cells.insert(
        cells.end(),
        {human_count(each.ranks), human_time(each.total_s),
         layouts.front().total_s > 0 ? human_factor(each.total_s / layouts.front().total_s) : "",
         human_time(each.of_last.computing_s), human_time(each.of_last.core_wait_s),
         human_time(each.of_last.exposed_s)});
    for (const std::string& group : groups) {
      const auto found = std::ranges::find(each.groups, group);
      cells.push_back(
          found == each.groups.end()
              ? ""
              : human_time(each.exposed_s[static_cast<std::size_t>(found - each.groups.begin())]));
    }
    table.add(std::move(cells));
  }
  return table;
}

namespace layouts_fields {

constexpr auto kSize = fields<LayoutAxis>({
    {"name", member<&LayoutAxis::name>},
    {"size", member<&LayoutAxis::size>, at_least(1)},
});

struct ExposedOn {
  const ComparedLayout* layout;
  std::size_t group;
};

constexpr auto kExposed = fields<ExposedOn>({
    {"name", [](const ExposedOn& of) -> const auto& { return of.layout->groups[of.group]; }},
    {"exposed_s", [](const ExposedOn& of) { return of.layout->exposed_s[of.group]; },
     "Communication for which computing waits, at the rank that ends last."},
});

std::vector<ExposedOn> exposed_of(const ComparedLayout& layout) {
  std::vector<ExposedOn> all;
  for (std::size_t group = 0; group < layout.groups.size(); ++group) {
    all.push_back({&layout, group});
  }
  return all;
}

constexpr auto kLayout = fields<ComparedLayout>({
    {"machine", member<&ComparedLayout::machine>,
     "0 for the given machine, 1 for that of the first --versus, and so on."},
    {"options", [](const ComparedLayout& of) { return text_if_any(of.options); },
     "Options of the machine in place of those given. null if there are none."},
    {"given", kSize, [](const ComparedLayout& of) -> const auto& { return of.given; },
     "The sizes that were compared."},
    {"layout", kSize, [](const ComparedLayout& of) -> const auto& { return of.layout; },
     "All axes. Empty if the layout cannot run."},
    {"ranks", [](const ComparedLayout& of) { return value_if(of.refusal.empty(), of.ranks); },
     "null if the layout cannot run."},
    {"platform", [](const ComparedLayout& of) { return text_if_any(of.platform); }},
    {"refusal", [](const ComparedLayout& of) { return text_if_any(with_fields(of.refusal)); },
     "Why the layout cannot run. null if it can."},
    {"total_s", [](const ComparedLayout& of) { return value_if(of.refusal.empty(), of.total_s); },
     "Time of the step."},
    {"computing_s", [](const ComparedLayout& of) { return of.of_last.computing_s; },
     "Computing at the rank that ends last."},
    {"core_wait_s", [](const ComparedLayout& of) { return of.of_last.core_wait_s; },
     "Computing there that waits for the core, on which a collective reduces."},
    {"exposed_s", [](const ComparedLayout& of) { return of.of_last.exposed_s; },
     "Communication for which computing waits there."},
    {"hidden_s", [](const ComparedLayout& of) { return of.of_last.hidden_s; },
     "Communication beside computing or other communication there."},
    {"groups", kExposed, from<exposed_of>, "The groups that communicate."},
});

constexpr auto kLayouts = fields<LayoutComparison>({
    {"name", member<&LayoutComparison::name>},
    {"not_scaled", member<&LayoutComparison::not_scaled>,
     "Compared axes on whose size no computing time depends."},
    {"layouts", kLayout, [](const LayoutComparison& of) -> const auto& { return of.layouts; },
     "Layouts that run, the fastest first, and then those that cannot run."},
});

}  // namespace layouts_fields

}  // namespace

void print_layouts(const LayoutComparison& comparison, std::ostream& out) {
  const std::vector<ComparedLayout>& layouts = comparison.layouts;
  const std::vector<std::string> others = other_machines(comparison);
  const auto ran = static_cast<std::size_t>(
      std::ranges::count(layouts, std::string(), &ComparedLayout::refusal));
  print_heading(out,
                fmt::format("{}: {} compared", comparison.name.empty() ? "step" : comparison.name,
                            counted(ran, others.empty() ? "layout" : "case")));
  table_of_layouts(comparison, groups_of_layouts(comparison)).print(out, 2);
  out << '\n';
  for (std::size_t i = 0; i < others.size(); ++i) {
    print_field(out, 2, 0, "", fmt::format("machine {}: {}", i + 1, printable(others[i])));
  }
  print_field(out, 2, 0, "", fmt::format("platform of the first: {}", layouts.front().platform));
  if (!layouts.front().given.empty()) {
    print_field(out, 2, 0, "",
                "note: memory is not modelled; a layout may need more than its GPUs have");
  }
  for (std::size_t i = ran; i < layouts.size(); ++i) {
    print_field(out, 2, 0, "",
                fmt::format("cannot run: {}: {}", case_in_words(layouts[i], !others.empty()),
                            with_fields(layouts[i].refusal)));
  }
  if (!comparison.not_scaled.empty()) {
    print_field(
        out, 2, 0, "",
        fmt::format("note: no computing time depends on the size of {}; write for example "
                    "compute 8ms / {} if the ranks of this axis share the work",
                    fmt::join(comparison.not_scaled, " or "), comparison.not_scaled.front()));
  }
  const bool alike = std::ranges::all_of(layouts, [&](const ComparedLayout& each) {
    return !each.refusal.empty() || each.ranks == layouts.front().ranks;
  });
  if (!alike) {
    print_field(out, 2, 0, "",
                "note: the layouts have different numbers of ranks; give -p, and one axis without "
                "a size, to compare layouts of the same ranks");
  }
}

const DocumentOf<LayoutComparison> kLayoutsDocument{
    {"tutti-step-layouts/1",
     "the times of a training step with several layouts or on several machines, as written by "
     "tutti step --layout --json and tutti step --versus --json",
     layouts_fields::kLayouts.view()}};

}}  // namespace tutti::output
