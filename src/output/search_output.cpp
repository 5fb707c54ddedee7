#include "src/output/search_output.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <ostream>

#include "base/human.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/text_table.hpp"

namespace tutti::inline output {

namespace {

constexpr std::size_t kSearchKey = 12;

void field(std::ostream& out, std::string_view key, std::string_view text) {
  print_field(out, 2, kSearchKey, key, text);
}

std::string of_limit(const SearchReport& report, double seconds) {
  return report.bound_s > 0 ? fmt::format("{:.3f} x limit", seconds / report.bound_s) : "";
}

double gain(const SearchReport& report, double seconds) { return 1 - seconds / report.known_s; }

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
      field(out, "stays ahead",
            fmt::format("in {} of {} runs whose times vary by {:g} %", robust.ahead,
                        Robustness::kRuns, 100 * Robustness::kJitter));
      field(out, "ties",
            fmt::format("{}, against {}{}", range_in_words(robust.found),
                        range_in_words(robust.known),
                        robust.stays_ahead() ? "" : ": not ahead in all cases"));
    }
    if (!report.file.empty()) {
      field(out, "file", report.file);
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
        fmt::format("{} with seed {}, in {}{}{}", counted(result.evaluations, "schedule"),
                    report.asked.seed, human_time(report.wall_s),
                    result.bounded == 0
                        ? ""
                        : fmt::format(", {} of them only by their busiest link or rank",
                                      human_count(result.bounded)),
                    tried.empty() ? "" : ": " + tried));
}

void print_choices(std::span<const SearchReport> sizes, std::ostream& out) {
  out << '\n';
  print_heading(out, "The best schedule for each size");
  Table table(
      {{"size", true}, {"time", true}, {"of limit", true, 1}, {"gain", true}, {"schedule"}});
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
    with += report.file.empty() ? "" : " --with " + report.file;
  }
  if (!with.empty()) {
    out << '\n';
    field(out, "for rules", fmt::format("add{} to the arguments of 'tutti decide'", with));
  }
}

namespace {

nlohmann::ordered_json size_json(const SearchReport& report, std::span<const SearchReport> sizes) {
  const SearchResult& result = report.result;
  const bool found = result.best.has_value();
  const auto or_null = [](bool known, const auto& value) {
    return known ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json json{{"bytes", report.problem.bytes},
                              {"best_known", report.known},
                              {"best_known_s", report.known_s}};
  json["bound_s"] = or_null(report.bound_s > 0, report.bound_s);
  json["found_s"] = found ? nlohmann::ordered_json(result.best->seconds) : nlohmann::ordered_json();
  json["family"] = found ? nlohmann::ordered_json(result.best->family) : nlohmann::ordered_json();
  json["what"] =
      found ? nlohmann::ordered_json(result.best->draft->in_words()) : nlohmann::ordered_json();
  json["file"] = or_null(!report.file.empty(), report.file);
  json["ahead_with_jitter"] = report.robustness ? nlohmann::ordered_json(report.robustness->ahead)
                                                : nlohmann::ordered_json();
  json["stays_ahead"] = report.robustness ? nlohmann::ordered_json(report.robustness->stays_ahead())
                                          : nlohmann::ordered_json();
  const std::optional<std::size_t> chosen = report.choice.find;
  json["choice_bytes"] =
      chosen ? nlohmann::ordered_json(sizes[*chosen].problem.bytes) : nlohmann::ordered_json();
  json["choice_s"] = report.choice.seconds;
  json["evaluations"] = result.evaluations;
  json["bounded"] = result.bounded;
  json["families"] =
      json_array(result.families, [](const FamilyCount& each) -> nlohmann::ordered_json {
        return {
            {"name", each.name},
            {"evaluations", each.evaluations},
            {"best_s", each.best ? nlohmann::ordered_json(each.best_s) : nlohmann::ordered_json()},
            {"best",
             each.best ? nlohmann::ordered_json(each.best->in_words()) : nlohmann::ordered_json()}};
      });
  return json;
}

}  // namespace

nlohmann::ordered_json search_json(std::span<const SearchReport> sizes, double wall_s) {
  const SearchReport& any = sizes.front();
  nlohmann::ordered_json json{{"schema", "tutti-search/1"},
                              {"collective", name(any.problem.collective)},
                              {"ranks", any.problem.ranks},
                              {"element_bytes", any.problem.element_bytes}};
  json["root"] = has_root(any.problem.collective) ? nlohmann::ordered_json(any.problem.root)
                                                  : nlohmann::ordered_json();
  json["platform"] = any.platform;
  json["seed"] = any.asked.seed;
  json["sizes"] =
      json_array(sizes, [&](const SearchReport& report) { return size_json(report, sizes); });
  json["wall_s"] = wall_s;
  return json;
}

}  // namespace tutti::inline output
