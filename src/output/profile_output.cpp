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
#include "src/output/common_fields.hpp"
#include "src/output/decision_text.hpp"
#include "src/rule_files/decision_json.hpp"

namespace tutti { inline namespace output {

namespace {

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

namespace { namespace profile_fields {

using RuleOf = PartOf<ProfileDecision, ProfileRule>;
using CellOf = PartOf<ProfileDecision, ProfileCell>;

const Decision& decision_of(const auto& of) { return of.whole.decisions[of.part.decision]; }

constexpr auto kProfileFile = fields<Profile>({
    {"file", member<&Profile::file>},
    {"form", member<&Profile::form>, "Description of the file's format."},
    {"assumed", member<&Profile::assumed>,
     "Sentences about what was assumed because the file does not state it, and about calls that "
     "were left out."},
});

constexpr auto kRule = fields<RuleOf>({
    {"collective", [](const RuleOf& of) { return name(decision_of(of).collective); }},
    {"ranks", [](const RuleOf& of) { return decision_of(of).ranks[of.part.rank_index]; },
     at_least(1)},
    {"from_bytes", [](const RuleOf& of) { return of.part.interval.from_bytes; },
     "Smallest size of the rule. It applies up to the start of the next rule for the same "
     "collective and number of ranks."},
    {"choice", kChoiceFields, [](const RuleOf& of) { return choice_of(of.whole, of.part); }},
    {"calls", [](const RuleOf& of) { return of.part.calls; }},
    {"before_s", [](const RuleOf& of) { return of.part.before_s; },
     "Time without the rules, over the calls of this rule whose times without and with the rules "
     "are both known. null if there are none."},
    {"after_s", [](const RuleOf& of) { return of.part.after_s; }},
    {"saved_s", [](const RuleOf& of) { return of.part.saved_s(); }, any_sign},
    {"untold_calls", [](const RuleOf& of) { return of.part.untold_calls; },
     "Number of calls that are left out of the sums of seconds, because a time is unknown."},
});

// The fields of a cell before and after those that only the table of --csv has.
constexpr auto kCellHead = fields<CellOf>({
    {"collective", [](const CellOf& of) { return name(decision_of(of).collective); }},
    {"ranks", [](const CellOf& of) { return decision_of(of).ranks[of.part.rank_index]; },
     at_least(1)},
    {"bytes", [](const CellOf& of) { return of.part.bytes; }},
    {"calls", [](const CellOf& of) { return of.part.calls; }},
});
constexpr auto kCellBefore = fields<CellOf>({
    {"before", [](const CellOf& of) { return text_if_any(of.part.before); },
     "What runs without the rules. null if it is unknown."},
    {"before_s", [](const CellOf& of) { return of.part.before_s; }},
});
constexpr auto kCellEnd = fields<CellOf>({
    {"after_s", [](const CellOf& of) { return of.part.after_s; }},
    {"saved_s", [](const CellOf& of) { return of.part.saved_s(); }, any_sign},
});
constexpr auto kCell = fields<CellOf>({
    kCellHead,
    {"rule", [](const CellOf& of) { return of.part.rule; },
     "Index of the cell's rule in `rules`. null if no candidate runs."},
    kCellBefore,
    kCellEnd,
});
constexpr auto kColumns = fields<CellOf>({
    kCellHead,
    kCellBefore,
    {"then", [](const CellOf& of) { return then_in_words(of.whole, of.part); }},
    kCellEnd,
});

constexpr auto kProfile = fields<ProfileDecision>({
    {"profile", kProfileFile, member<&ProfileDecision::profile>},
    {"by", [](const ProfileDecision& of) { return name(of.decisions.front().by); },
     one_of(words_of<kTimedBy>)},
    {"machine", kDecisionMachineFields,
     [](const ProfileDecision& of) {
       return of.decisions.front().facts ? &of.decisions.front() : nullptr;
     },
     "The simulated machine. null if the times are measured."},
    {"before", member<&ProfileDecision::before>, "Description of what runs without the rules."},
    {"notes",
     [](const ProfileDecision& of) {
       std::vector<std::string> notes;
       for (const std::string& note : of.notes) {
         notes.push_back(with_fields(note));
       }
       return notes;
     }},
    {"before_s", member<&ProfileDecision::before_s>,
     "Time without the rules, over all calls whose times without and with the rules are both "
     "known."},
    {"after_s", member<&ProfileDecision::after_s>},
    {"saved_s", [](const ProfileDecision& of) { return of.before_s - of.after_s; }, any_sign},
    {"untold_calls", member<&ProfileDecision::untold_calls>,
     "Number of calls that are left out of all sums of seconds, because a time is unknown."},
    {"rules", kRule, [](const ProfileDecision& of) { return parts_of(of, of.rules); },
     "The rules. Those that save the most time come first."},
    {"cells", kCell, [](const ProfileDecision& of) { return parts_of(of, of.cells); },
     "Calls of one collective with the same number of ranks and size. Those that save the most "
     "time come first. Seconds are sums over all calls of the cell."},
    {"wall_s", member<&ProfileDecision::wall_s>},
});

}}  // namespace ::profile_fields

extern const DocumentOf<ProfileDecision> kProfileDocument{
    {"tutti-profile/1",
     "time that rules save in the collectives of a program, as written by tutti decide --profile "
     "--json",
     profile_fields::kProfile.view()}};

void write_profile_csv(const ProfileDecision& decided, std::ostream& out) {
  write_csv_head(out);
  const FieldView columns = profile_fields::kColumns.view();
  bool first = true;
  for (const profile_fields::CellOf& cell : parts_of(decided, decided.cells)) {
    if (std::exchange(first, false)) {
      out << csv_names_line(columns, &cell);
    }
    out << csv_values_line(columns, &cell);
  }
}

}}  // namespace tutti::output
