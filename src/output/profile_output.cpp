#include "src/output/profile_output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>
#include <span>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/time_column.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/decision_text.hpp"
#include "src/rule_files/decision_json.hpp"

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kProfileKey = 12;

const Decision& decision_of(const ProfileDecision& decided, std::size_t which) {
  return decided.decisions[which];
}

Choice choice_of(const ProfileDecision& decided, const ProfileRule& rule) {
  Choice choice = decision_of(decided, rule.decision).candidates[rule.interval.candidate].choice;
  choice.segment_bytes = rule.interval.segment_bytes;
  return choice;
}

// Describes the choice that the cell's rule makes; "" if there is no rule.
std::string then_in_words(const ProfileDecision& decided, const ProfileCell& cell) {
  return cell.rule ? in_words(choice_of(decided, decided.rules[*cell.rule])) : "";
}

std::string size_in_words(const Decision& decision, std::uint64_t bytes) {
  return decision.collective == Collective::barrier ? "-" : human_bytes(bytes);
}

std::string share_in_words(double part, double of) {
  return of > 0 ? fmt::format("{:.1f} %", 100 * part / of) : "-";
}

const std::string kNoSaving = "not known";

std::string time_in_words(const TimeUnit& unit, const std::optional<double>& seconds) {
  return seconds ? unit.print(*seconds) : kNoSaving;
}

void print_profile_cells(const ProfileDecision& decided, bool all, std::ostream& out) {
  constexpr std::size_t kMostShown = 20;
  const std::span<const ProfileCell> cells(
      decided.cells.data(),
      all ? decided.cells.size() : std::min(decided.cells.size(), kMostShown));
  std::vector<double> times;
  for (const ProfileCell& cell : cells) {
    times.insert(times.end(), {cell.before_s.value_or(0), cell.after_s.value_or(0)});
  }
  const TimeUnit unit = unit_of_column(times);
  const auto time = [&unit](const std::optional<double>& seconds) {
    return time_in_words(unit, seconds);
  };
  Table table({{fmt::format("saved {}", unit.name), true},
               {"share", true, 2},
               {"collective"},
               {"p", true},
               {"n", true},
               {"calls", true, 1},
               {fmt::format("before {}", unit.name), true, 1},
               {fmt::format("after {}", unit.name), true, 1},
               {"before", false, 2},
               {"after"}});
  for (const ProfileCell& cell : cells) {
    const Decision& decision = decision_of(decided, cell.decision);
    table.add({time(cell.saved_s()),
               cell.saved_s() ? share_in_words(*cell.saved_s(), decided.before_s) : kNoSaving,
               std::string(name(decision.collective)),
               fmt::format("{}", decision.ranks[cell.rank_index]),
               size_in_words(decision, cell.bytes), calls_in_words(cell.calls), time(cell.before_s),
               time(cell.after_s), cell.before.empty() ? "-" : cell.before,
               then_in_words(decided, cell)});
  }
  table.print(out, 2);
  if (cells.size() < decided.cells.size()) {
    print_field(
        out, 2, 0, "",
        fmt::format("and {} more; {} shows all of them",
                    counted(decided.cells.size() - cells.size(), "kind of call"), flag_of("all")));
  }
}

Json rule_json(const ProfileDecision& decided, const ProfileRule& rule) {
  const Decision& decision = decision_of(decided, rule.decision);
  return {{"collective", name(decision.collective)},
          {"ranks", decision.ranks[rule.rank_index]},
          {"from_bytes", rule.interval.from_bytes},
          {"choice", choice_json(choice_of(decided, rule))},
          {"calls", rule.calls},
          {"before_s", or_null(rule.before_s)},
          {"after_s", or_null(rule.after_s)},
          {"saved_s", or_null(rule.saved_s())},
          {"untold_calls", rule.untold_calls}};
}

Json cell_json(const ProfileDecision& decided, const ProfileCell& cell) {
  const Decision& decision = decision_of(decided, cell.decision);
  return {{"collective", name(decision.collective)},
          {"ranks", decision.ranks[cell.rank_index]},
          {"bytes", cell.bytes},
          {"calls", cell.calls},
          {"rule", or_null(cell.rule)},
          {"before", or_null(cell.before)},
          {"before_s", or_null(cell.before_s)},
          {"after_s", or_null(cell.after_s)},
          {"saved_s", or_null(cell.saved_s())}};
}

}  // namespace

std::string calls_in_words(double calls) {
  const double whole = static_cast<double>(static_cast<std::uint64_t>(calls));
  return whole == calls ? human_count(static_cast<std::uint64_t>(calls))
                        : fmt::format("{:.1f}", calls);
}

std::string saving_in_words(double before_s, double after_s, double untold_calls) {
  if (before_s <= 0 && untold_calls > 0) {
    return fmt::format("nothing could be judged: the times of all {} calls are unknown",
                       calls_in_words(untold_calls));
  }
  return fmt::format(
      "saves {} of the {} spent in collectives ({}{})", human_time(before_s - after_s),
      human_time(before_s), share_in_words(before_s - after_s, before_s),
      untold_calls > 0
          ? fmt::format("; without {} calls whose times are unknown", calls_in_words(untold_calls))
          : "");
}

void print_profile(const ProfileDecision& decided, bool all, std::ostream& out) {
  const Profile& profile = decided.profile;
  print_heading(
      out, fmt::format("{}, {}: {}", printable(profile.file), profile.form,
                       saving_in_words(decided.before_s, decided.after_s, decided.untold_calls)));
  out << '\n';
  print_profile_cells(decided, all, out);
  out << '\n';
  const Decision& first = decision_of(decided, 0);
  print_field(out, 2, kProfileKey, "before", decided.before);
  print_grounds_of_times(first, out);
  for (const Decision& decision : decided.decisions) {
    if (decision.collective != Collective::barrier && decision.element_bytes != 8) {
      print_field(out, 2, kProfileKey, "elements",
                  fmt::format("{}: {}, since not all sizes are multiples of 8",
                              name(decision.collective), counted(decision.element_bytes, "byte")));
    }
    if (!decision.left_out.empty()) {
      print_field(out, 2, kProfileKey, "left out",
                  fmt::format("{}: not among the library's algorithms for {}",
                              fmt::join(decision.left_out, ", "), name(decision.collective)));
    }
  }
  for (const std::string& note : decided.notes) {
    print_field(out, 2, kProfileKey, "note", with_fields(note));
  }
  for (const std::string& assumed : profile.assumed) {
    print_field(out, 2, kProfileKey, "note", assumed);
  }
  if (decided.untold_calls > 0) {
    print_field(
        out, 2, kProfileKey, "note",
        fmt::format(
            "{} calls are left out of all sums: their time without or with the rules is not known",
            calls_in_words(decided.untold_calls)));
  }
}

void write_profile_json(const ProfileDecision& decided, std::ostream& out) {
  Json json;
  const Decision& first = decision_of(decided, 0);
  json["schema"] = "tutti-profile/1";
  json["profile"] = {{"file", decided.profile.file},
                     {"form", decided.profile.form},
                     {"assumed", decided.profile.assumed}};
  json["by"] = name(first.by);
  json["machine"] = decision_machine_json(first);
  json["before"] = decided.before;
  json["notes"] =
      json_array(decided.notes, [](const std::string& note) { return Json(with_fields(note)); });
  json["before_s"] = decided.before_s;
  json["after_s"] = decided.after_s;
  json["saved_s"] = decided.before_s - decided.after_s;
  json["untold_calls"] = decided.untold_calls;
  json["rules"] =
      json_array(decided.rules, [&](const ProfileRule& rule) { return rule_json(decided, rule); });
  json["cells"] =
      json_array(decided.cells, [&](const ProfileCell& cell) { return cell_json(decided, cell); });
  json["wall_s"] = decided.wall_s;
  write_document(json, 1, out);
}

void write_profile_csv(const ProfileDecision& decided, std::ostream& out) {
  write_csv_head(out);
  Json names;
  for (const char* const key : {"collective", "ranks", "bytes", "calls", "before", "before_s",
                                "then", "after_s", "saved_s"}) {
    names[key] = nullptr;
  }
  out << csv_names_line(names);
  for (const ProfileCell& cell : decided.cells) {
    Json row = cell_json(decided, cell);
    row["then"] = then_in_words(decided, cell);
    out << csv_values_line(names, row);
  }
}

}}  // namespace tutti::output
