#include "src/output/search_output.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <ostream>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/shell_word.hpp"
#include "sim/engine.hpp"
#include "src/formats/call_size.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/common_fields.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr std::size_t kSearchKey = 12;

void entry(std::ostream& out, std::string_view key, std::string_view text) {
  print_field(out, 2, kSearchKey, key, text);
}

std::string of_limit(const SearchReport& report, double seconds) {
  return report.bound_s > 0 ? fmt::format("{:.3f} x limit", seconds / report.bound_s) : "";
}

double gain(const SearchReport& report, double seconds) {
  return report.known_s > 0 ? 1 - seconds / report.known_s : 0;
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
  entry(out, "best known",
        fmt::format("{}  {}  {}", human_time(report.known_s), of_limit(report, report.known_s),
                    report.known));
  for (const GivenSchedule& given : report.given) {
    entry(out, "given",
          !given.seconds           ? with_fields(given.refused)
          : given.unproved.empty() ? fmt::format("{}  {}  {}", human_time(*given.seconds),
                                                 of_limit(report, *given.seconds), given.name)
                                   // The limit is that of right schedules.
                                   : fmt::format("{}  {}, unproved: {}", human_time(*given.seconds),
                                                 given.name, given.unproved));
  }
  entry(out, "limit",
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
    if (report.writes_file) {
      entry(out, "file", "not written");
    }
  } else {
    print_heading(out, fmt::format("Found: {}, {:.1f} % less than the best known algorithm",
                                   human_time(result.best->seconds),
                                   100 * gain(report, result.best->seconds)));
    entry(out, "what", result.best->draft->in_words());
    entry(out, "proved",
          fmt::format("in whatever order messages arrive{}",
                      report.verdict.order == OperandOrder::commutative_only
                          ? "; for operators that commute"
                          : ""));
    if (report.robustness) {
      const Robustness& robust = *report.robustness;
      entry(out, "faster",
            fmt::format("in {} of {} runs whose times vary by {:g} %", robust.ahead,
                        Robustness::kRuns, 100 * Robustness::kJitter));
      entry(out, "ties",
            fmt::format("{}, against {}{}", range_in_words(robust.found),
                        range_in_words(robust.known),
                        robust.ahead_of_ties() ? "" : ": not faster in all cases"));
    }
    if (!report.file.empty()) {
      entry(out, "file", report.file);
    }
  }
  for (const GivenSchedule& given : report.given) {
    if (given.seconds && result.best) {
      const double less = 1 - result.best->seconds / *given.seconds;
      entry(out, "against",
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
  entry(out, "tried",
        fmt::format(
            "{} with seed {}, in {}{}{}", counted(result.evaluations, "schedule"),
            report.budget.seed, human_time(report.wall_s),
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
    entry(out, "use with", fmt::format("tutti decide ...{}", with));
  }
}

namespace { namespace search_fields {

constexpr auto kGiven = fields<GivenSchedule>({
    {"algorithm", member<&GivenSchedule::name>, not_empty},
    {"file", [](const GivenSchedule& of) { return text_if_any(of.file); }, not_empty},
    {"simulated_s", member<&GivenSchedule::seconds>,
     "null if the schedule cannot run; 'refused' says why."},
    {"unproved", [](const GivenSchedule& of) { return text_if_any(of.unproved); }, not_empty,
     "Why the schedule is not proved; null if it is."},
    {"refused", [](const GivenSchedule& of) { return text_if_any(with_fields(of.refused)); },
     not_empty},
});

constexpr auto kFamily = fields<FamilyCount>({
    {"name", member<&FamilyCount::name>, not_empty},
    {"evaluations", member<&FamilyCount::evaluations>},
    {"best_s", [](const FamilyCount& of) { return value_if(of.best != nullptr, of.best_s); },
     "Time of the family's fastest schedule that was simulated, whether or not it is faster than "
     "the best known algorithm."},
    {"best",
     [](const FamilyCount& of) {
       return of.best ? std::optional(of.best->in_words()) : std::nullopt;
     },
     not_empty},
});

using Size = PartOf<SearchAnswer, SearchReport>;

constexpr auto kSize = fields<Size>({
    {"bytes", [](const Size& of) { return of.part.problem.bytes; }},
    {"best_known", [](const Size& of) -> const auto& { return of.part.known; }, not_empty,
     "The fastest of all algorithms with all values of their options, or the proved schedule of "
     "--with that is faster."},
    {"best_known_s", [](const Size& of) { return of.part.known_s; }},
    {"given", kGiven, [](const Size& of) -> const auto& { return of.part.given; },
     "The schedules of --with."},
    {"bound_s", [](const Size& of) { return value_if(of.part.bound_s > 0, of.part.bound_s); },
     "Least time of any schedule; null if none is known."},
    {"found_s",
     [](const Size& of) {
       const auto& best = of.part.result.best;
       return best ? std::optional(best->seconds) : std::nullopt;
     },
     "Time of the schedule that was found; null if none is faster than the best known algorithm."},
    {"family",
     [](const Size& of) {
       const auto& best = of.part.result.best;
       return best ? std::optional(std::string(best->family)) : std::nullopt;
     },
     not_empty},
    {"what",
     [](const Size& of) {
       const auto& best = of.part.result.best;
       return best ? std::optional(best->draft->in_words()) : std::nullopt;
     },
     not_empty, "How the schedule is made, in words."},
    {"file", [](const Size& of) { return text_if_any(of.part.file); }, not_empty,
     "File to which the schedule was written."},
    {"ahead_with_jitter",
     [](const Size& of) {
       const auto& robust = of.part.robustness;
       return robust ? std::optional(robust->ahead) : std::nullopt;
     },
     between(0, 25),
     "In how many of 25 runs, whose times vary by 1 %, the schedule is faster than the best known "
     "algorithm."},
    {"stays_ahead",
     [](const Size& of) {
       const auto& robust = of.part.robustness;
       return robust ? std::optional(robust->stays_ahead()) : std::nullopt;
     },
     "True if that is so in all 25 runs, and for every order of ties."},
    {"choice_bytes",
     [](const Size& of) {
       const auto& find = of.part.choice.find;
       return find ? std::optional(of.whole.sizes[*find].problem.bytes) : std::nullopt;
     },
     "The best schedule for this size is the one that was found for this number of bytes; null: "
     "the best known algorithm."},
    {"choice_s", [](const Size& of) { return of.part.choice.seconds; },
     "Time of the best schedule for this size."},
    {"evaluations", [](const Size& of) { return of.part.result.evaluations; },
     "Number of schedules that were tried. The same number and seed give the same result."},
    {"bounded", [](const Size& of) { return of.part.result.bounded; },
     "Number of these that were not simulated, because their busiest link or rank alone takes "
     "longer than the best time."},
    {"families", kFamily, [](const Size& of) -> const auto& { return of.part.result.families; }},
});

const Problem& problem_of(const SearchAnswer& answer) { return answer.sizes.front().problem; }

constexpr std::array<std::string_view, 6> kCollectiveNames{
    "allreduce", "bcast", "reduce", "reduce_scatter", "allgather", "alltoall"};

constexpr auto kSearch = fields<SearchAnswer>({
    {"collective", [](const SearchAnswer& of) { return name(problem_of(of).collective); },
     one_of(kCollectiveNames)},
    {"ranks", [](const SearchAnswer& of) { return problem_of(of).ranks; }, at_least(1)},
    {"element_bytes", [](const SearchAnswer& of) { return problem_of(of).element_bytes; },
     at_least(1)},
    {"root",
     [](const SearchAnswer& of) {
       return value_if(has_root(problem_of(of).collective), problem_of(of).root);
     },
     "null if the collective has no root."},
    {"platform", [](const SearchAnswer& of) -> const auto& { return of.sizes.front().platform; },
     not_empty},
    {"ranks_per_host", [](const SearchAnswer& of) { return of.sizes.front().ranks_per_host; },
     at_least(1)},
    {"ports", [](const SearchAnswer& of) { return ports_value(of.sizes.front().ports); },
     at_least(1) | one_of(kUnlimitedPortsName),
     "Messages that a rank may send, and receive, at a time."},
    {"seed", [](const SearchAnswer& of) { return of.sizes.front().budget.seed; }},
    {"sizes", kSize, [](const SearchAnswer& of) { return parts_of(of, of.sizes); }, items_from(1)},
    {"wall_s", member<&SearchAnswer::wall_s>},
});

}}  // namespace ::search_fields

extern const DocumentOf<SearchAnswer> kSearchDocument{
    {"tutti-search/1",
     "the result of a search for faster schedules, as written by tutti search --json",
     search_fields::kSearch.view()}};

}}  // namespace tutti::output
