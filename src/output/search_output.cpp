#include "src/output/search_output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <optional>
#include <ostream>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/shell_word.hpp"
#include "sim/engine.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/text_table.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr std::size_t kSearchKey = 12;

void field(std::ostream& out, std::string_view key, std::string_view text) {
  print_field(out, 2, kSearchKey, key, text);
}

std::string of_limit(const SearchReport& report, double seconds) {
  return report.bound_s > 0 ? fmt::format("{:.3f} x limit", seconds / report.bound_s) : "";
}

double gain(const SearchReport& report, double seconds) {
  return report.known_s > 0 ? 1 - seconds / report.known_s : 0;
}

template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

std::string row(std::string_view tried, std::string_view time, std::string_view limit,
                std::string_view gain, std::string_view family) {
  return fmt::format("{:>8}  {:<11}  {:<13}  {:>6}  {:<9}", tried, time, limit, gain, family);
}

std::string range_in_words(const RangedTime& time) {
  return time.below_s + time.above_s == 0
             ? human_time(time.seconds)
             : fmt::format("{} to {}", human_time(time.seconds - time.below_s),
                           human_time(time.seconds + time.above_s));
}

}  // namespace

void print_search_head(const SearchReport& report, std::ostream& out) {
  print_heading(out, fmt::format("{} of {} on {} of {}", name(report.problem.collective),
                                 human_bytes(report.problem.bytes),
                                 counted(report.problem.ranks, "rank"), report.platform));
  field(out, "best known",
        fmt::format("{}  {}  {}", human_time(report.known_s), of_limit(report, report.known_s),
                    report.known));
  for (const GivenSchedule& given : report.given) {
    field(out, "given",
          !given.seconds           ? with_fields(given.refused)
          : given.unproved.empty() ? fmt::format("{}  {}  {}", human_time(*given.seconds),
                                                 of_limit(report, *given.seconds), given.name)
                                   // The limit is that of right schedules.
                                   : fmt::format("{}  {}, unproved: {}", human_time(*given.seconds),
                                                 given.name, given.unproved));
  }
  field(out, "limit",
        report.bound_s > 0
            ? human_time(report.bound_s) + "  no schedule is faster ('tutti bound' says why)"
            : "none is known");
  out << '\n' << row("tried", "time", "", "gain", "family") << "  what\n";
}

void print_find(const SearchReport& report, const Find& find, std::ostream& out) {
  const std::string head =
      row(human_count(find.evaluation), human_time(find.seconds), of_limit(report, find.seconds),
          fmt::format("{:.1f} %", 100 * gain(report, find.seconds)), find.family);
  print_field(out, 0, head.size() + 2, head, find.draft->in_words());
  out << std::flush;
}

void print_search_end(const SearchReport& report, std::ostream& out) {
  const SearchResult& result = report.result;
  out << '\n';
  if (!result.best) {
    print_heading(out, "Nothing faster than the best known algorithm was found");
    if (report.asked_file) {
      field(out, "file", "not written");
    }
  } else {
    print_heading(out, fmt::format("Found: {}, {:.1f} % less than the best known algorithm",
                                   human_time(result.best->seconds),
                                   100 * gain(report, result.best->seconds)));
    field(out, "what", result.best->draft->in_words());
    field(out, "proved",
          fmt::format("in whatever order messages arrive{}",
                      report.verdict.order == OperandOrder::commutative_only
                          ? "; for operators that commute"
                          : ""));
    if (report.robustness) {
      const Robustness& robust = *report.robustness;
      field(out, "faster",
            fmt::format("in {} of {} runs whose times vary by {:g} %", robust.ahead,
                        Robustness::kRuns, 100 * Robustness::kJitter));
      field(out, "ties",
            fmt::format("{}, against {}{}", range_in_words(robust.found),
                        range_in_words(robust.known),
                        robust.ahead_of_ties() ? "" : ": not faster in all cases"));
    }
    if (!report.file.empty()) {
      field(out, "file", report.file);
    }
  }
  for (const GivenSchedule& given : report.given) {
    if (given.seconds && result.best) {
      const double less = 1 - result.best->seconds / *given.seconds;
      field(out, "against",
            fmt::format("{}: {}; found takes {:.1f} % {}{}", given.name, human_time(*given.seconds),
                        100 * std::abs(less), less >= 0 ? "less" : "more",
                        given.unproved.empty() ? "" : ", but " + given.name + " is not proved"));
    }
  }
  std::string tried;
  for (const FamilyCount& each : result.families) {
    tried +=
        fmt::format("{}{} {}", tried.empty() ? "" : ", ", each.name, human_count(each.evaluations));
    if (each.best) {
      tried += fmt::format(" (best {})", human_time(each.best_s));
    }
  }
  field(out, "tried",
        fmt::format(
            "{} with seed {}, in {}{}{}", counted(result.evaluations, "schedule"),
            report.asked.seed, human_time(report.wall_s),
            result.bounded == 0
                ? ""
                : fmt::format(
                      ", of which {} were not simulated, because their busiest link or rank alone "
                      "takes longer",
                      human_count(result.bounded)),
            tried.empty() ? "" : ": " + tried));
}

void print_choices(std::span<const SearchReport> sizes, std::ostream& out) {
  out << '\n';
  print_heading(out, "The best schedule for each size");
  Table table({{"size", true}, {"time", true}, {"x limit", true, 1}, {"gain", true}, {"schedule"}});
  for (const SearchReport& report : sizes) {
    const SizeChoice& choice = report.choice;
    const SearchReport* const from = choice.find ? &sizes[*choice.find] : nullptr;
    table.add({human_bytes(report.problem.bytes), human_time(choice.seconds),
               report.bound_s > 0 ? fmt::format("{:.3f}", choice.seconds / report.bound_s) : "",
               fmt::format("{:.1f} %", 100 * gain(report, choice.seconds)),
               from == nullptr      ? report.known
               : from->file.empty() ? "found for " + human_bytes(from->problem.bytes)
                                    : from->file});
  }
  table.print(out, 2);
  std::string with;
  for (const SearchReport& report : sizes) {
    with +=
        report.file.empty() ? "" : fmt::format(" {} {}", flag_of("with"), shell_path(report.file));
  }
  if (!with.empty()) {
    out << '\n';
    field(out, "use with", fmt::format("tutti decide ...{}", with));
  }
}

namespace {

nlohmann::ordered_json size_json(const SearchReport& report, std::span<const SearchReport> sizes) {
  const SearchResult& result = report.result;
  std::optional<double> found_s;
  std::optional<std::string> family;
  std::optional<std::string> what;
  if (result.best) {
    found_s = result.best->seconds;
    family = result.best->family;
    what = result.best->draft->in_words();
  }
  std::optional<std::uint32_t> ahead;
  std::optional<bool> stays_ahead;
  if (report.robustness) {
    ahead = report.robustness->ahead;
    stays_ahead = report.robustness->stays_ahead();
  }
  std::optional<std::uint64_t> choice_bytes;
  if (report.choice.find) {
    choice_bytes = sizes[*report.choice.find].problem.bytes;
  }
  const auto families =
      json_array(result.families, [](const FamilyCount& each) -> nlohmann::ordered_json {
        std::optional<double> best_s;
        std::optional<std::string> best;
        if (each.best) {
          best_s = each.best_s;
          best = each.best->in_words();
        }
        return {{"name", each.name},
                {"evaluations", each.evaluations},
                {"best_s", or_null(best_s)},
                {"best", or_null(best)}};
      });
  return {{"bytes", report.problem.bytes},
          {"best_known", report.known},
          {"best_known_s", report.known_s},
          {"given", json_array(report.given,
                               [](const GivenSchedule& given) -> nlohmann::ordered_json {
                                 const auto text = [](const std::string& value) {
                                   return value.empty() ? nlohmann::ordered_json()
                                                        : nlohmann::ordered_json(value);
                                 };
                                 return {{"algorithm", given.name},
                                         {"file", text(given.file)},
                                         {"simulated_s", or_null(given.seconds)},
                                         {"unproved", text(given.unproved)},
                                         {"refused", text(with_fields(given.refused))}};
                               })},
          {"bound_s", or_null(report.bound_s > 0 ? std::optional(report.bound_s) : std::nullopt)},
          {"found_s", or_null(found_s)},
          {"family", or_null(family)},
          {"what", or_null(what)},
          {"file", or_null(report.file.empty() ? std::nullopt : std::optional(report.file))},
          {"ahead_with_jitter", or_null(ahead)},
          {"stays_ahead", or_null(stays_ahead)},
          {"choice_bytes", or_null(choice_bytes)},
          {"choice_s", report.choice.seconds},
          {"evaluations", result.evaluations},
          {"bounded", result.bounded},
          {"families", families}};
}

}  // namespace

nlohmann::ordered_json search_json(std::span<const SearchReport> sizes, double wall_s) {
  const SearchReport& any = sizes.front();
  nlohmann::ordered_json json{{"schema", "tutti-search/1"},
                              {"collective", name(any.problem.collective)},
                              {"ranks", any.problem.ranks},
                              {"element_bytes", any.problem.element_bytes}};
  json["root"] =
      or_null(has_root(any.problem.collective) ? std::optional(any.problem.root) : std::nullopt);
  json["platform"] = any.platform;
  json["ranks_per_host"] = any.ranks_per_host;
  json["ports"] = any.ports == kUnlimitedPorts ? nlohmann::ordered_json("unlimited")
                                               : nlohmann::ordered_json(any.ports);
  json["seed"] = any.asked.seed;
  json["sizes"] =
      json_array(sizes, [&](const SearchReport& report) { return size_json(report, sizes); });
  json["wall_s"] = wall_s;
  return json;
}

}}  // namespace tutti::output
