// Prints comparisons as text: which algorithm is best in which cell, by how much, and why. On
// request, also prints a table for each cell, and notes on why the columns differ.
#include "src/output/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <utility>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/time_column.hpp"
#include "src/experiments/compare/comparison.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/assumptions_text.hpp"
#include "src/output/result_text.hpp"
#include "src/output/result_words.hpp"
#include "src/output/sure_text.hpp"

namespace tutti { inline namespace output {

namespace {

class Report {
 public:
  Report(const Comparison& comparison, const WinnerMap& winners, Details details,
         const std::optional<SureChoices>& sure, const Assumptions& assumptions, std::ostream& out)
      : comparison_(comparison),
        winners_(winners),
        details_(details),
        sure_(sure),
        assumptions_(assumptions),
        out_(out) {
    for (const CaseRun& run : comparison.runs) {
      const RunResult* const result = run.outcome.result();
      repeats_ = std::max(repeats_, result != nullptr ? result->repeats.runs : 0);
    }
  }

  void print() {
    print_title();
    if (comparison_.contenders.size() == 1) {
      print_one_algorithm(comparison_, notes_, out_);
      print_machine(true);
    } else {
      print_winners(comparison_, winners_, out_);
      print_sure();
      print_machine(details_ == Details::few);
      print_assumptions(comparison_, assumptions_, out_);
      const bool one_cell = comparison_.ranks.size() * comparison_.sizes_bytes.size() == 1;
      if (details_ == Details::all || one_cell) {
        print_tables(winners_);
        print_legend();
      } else {
        say_what_did_not_run();
      }
    }
    print_found_skips();
    notes_.print(out_);
  }

 private:
  // Returns a result for the number of ranks with the index `rank`; null if there is none. Callers
  // use only the machine, which is the same for all results for this number of ranks.
  [[nodiscard]] const RunResult* any_result(std::size_t rank) const {
    const std::size_t cells = comparison_.sizes_bytes.size() * comparison_.contenders.size();
    for (std::size_t i = rank * cells; i < (rank + 1) * cells; ++i) {
      if (const RunResult* const result = comparison_.runs[i].outcome.result()) {
        return result;
      }
    }
    return nullptr;
  }

  void print_sure() {
    if (sure_) {
      print_unsure_cells(
          *sure_, comparison_.collective, comparison_.ranks,
          [this](std::size_t i) { return comparison_.contenders[i].label; }, out_);
      out_ << '\n';
      print_field(out_, 2, 10, "sure", sure_in_words(*sure_));
    }
  }

  // For --skips search: the skips that were found for each run.
  void print_found_skips() {
    bool first = true;
    for (std::size_t i = 0; i < comparison_.runs.size(); ++i) {
      const CaseRun& run = comparison_.runs[i];
      const Contender& contender = comparison_.contender_of(i);
      if (!contender.finds_skips || run.outcome.result() == nullptr) {
        continue;
      }
      if (std::exchange(first, false)) {
        out_ << '\n';
        print_heading(out_, "The best skips");
      }
      print_field(out_, 2, 0, "",
                  fmt::format("p = {}, n = {}: {} for {}", run.problem.ranks,
                              human_bytes(run.problem.bytes), to_text(run.problem.skips),
                              contender.algorithm->name));
    }
  }

  void print_title() {
    std::vector<std::string> ranks;
    ranks.reserve(comparison_.ranks.size());
    for (const std::uint32_t p : comparison_.ranks) {
      ranks.push_back(std::to_string(p));
    }
    constexpr std::size_t kMostListed = 12;
    if (ranks.size() > kMostListed) {
      ranks = {fmt::format("{} numbers from {} to {}", ranks.size(), ranks.front(), ranks.back())};
    }
    const bool one = comparison_.contenders.size() == 1;
    std::string title = fmt::format(
        "{}{} on {} {}", one ? named(comparison_.contenders.front()) : name(comparison_.collective),
        given_options(), fmt::join(ranks, ", "),
        comparison_.ranks == std::vector<std::uint32_t>{1} ? "rank" : "ranks");
    if (comparison_.collective != Collective::barrier) {
      title += fmt::format(", {}", human_bytes(comparison_.sizes_bytes.front()));
      if (comparison_.sizes_bytes.size() > 1) {
        title += fmt::format(" to {} ({} sizes)", human_bytes(comparison_.sizes_bytes.back()),
                             comparison_.sizes_bytes.size());
      }
    }
    print_heading(out_, title);
    if (!one) {
      print_field(
          out_, 0, 0, "",
          fmt::format("Best of {} by {}, and how much slower the second is",
                      counted(comparison_.contenders.size(), "algorithm"),
                      repeats_ > 0 ? fmt::format("the median of {}", counted(repeats_, "run"))
                                   : "simulated time"));
      print_field(
          out_, 0, 0, "",
          fmt::format("Other options have their default values; 'tutti decide {}' tries all values",
                      name(comparison_.collective)));
    }
    out_ << '\n';
    for (std::size_t rank = comparison_.ranks.size(); head_ == nullptr && rank > 0; --rank) {
      head_ = any_result(rank - 1);
    }
  }

  static std::string named(const Contender& contender) {
    return contender.algorithm->program != nullptr
               ? contender.label
               : fmt::format("{}/{}", name(contender.algorithm->collective), contender.label);
  }

  void print_machine(bool briefly) {
    if (head_ == nullptr) {
      return;
    }
    out_ << '\n';
    std::string platform = platform_in_words(*head_);
    if (head_->machine.spec.made_on_the_fly() && comparison_.ranks.size() > 1) {
      platform = "for each number of ranks " + platform;
      const std::string hosts = counted(head_->described.facts.hosts, "host");
      if (const std::size_t at = platform.find(hosts); at != std::string::npos) {
        platform.replace(at, hosts.size(), "as many hosts as needed");
      }
    }
    RunResult head = *head_;
    head.comparison = worst_of_all();
    if (briefly) {
      print_machine_briefly(head, platform, out_);
    } else {
      tutti::print_machine(head, platform, symmetry_of_all(), out_);
    }
  }

  // Returns the options that the user gave, if their values are the same for all contenders: "
  // --tree binary --cuts open_mpi". Other options are in the labels of the contenders.
  [[nodiscard]] std::string given_options() const {
    constexpr std::size_t kMostCharacters = 60;
    std::string words;
    const auto say = [&words](std::string_view flag, const std::string& value) {
      words += fmt::format(" {} {}{}", flag, value.substr(0, kMostCharacters),
                           value.size() > kMostCharacters ? "..." : "");
    };
    for (const OptionType* type : option_types()) {
      const GivenOption* given = nullptr;
      bool alike = true;
      for (const Contender& contender : comparison_.contenders) {
        for (const GivenOption& option : contender.problem_template.given_options) {
          if (option.option == type->option) {
            alike = alike && (given == nullptr || given->text == option.text);
            given = given == nullptr ? &option : given;
          }
        }
      }
      if (given != nullptr && alike) {
        say(with_fields(given->field), given->text);
      }
    }
    if (const auto root = comparison_.contenders.front().problem_template.root) {
      say(flag_of("root"), fmt::format("{}", *root));
    }
    return words;
  }

  [[nodiscard]] std::string symmetry_of_all() const {
    std::size_t all = 0;
    std::size_t used = 0;
    for (const CaseRun& run : comparison_.runs) {
      const RunResult* const result = run.outcome.result();
      all += result != nullptr ? 1 : 0;
      used += result != nullptr && result->symmetry ? 1 : 0;
    }
    if (used == 0) {
      return {};
    }
    return fmt::format(
        "in {} of {}, one rank was simulated per class of equivalent ranks; {} off "
        "simulates every rank",
        human_count(used), counted(all, "run"), flag_of("symmetry"));
  }

  // With --engine both, returns the comparison of the run in which the engines differ most. Its
  // simgrid_wall_s is set to SimGrid's total wall-clock time for all runs. Otherwise returns
  // nothing.
  [[nodiscard]] std::optional<EngineComparison> worst_of_all() const {
    std::optional<EngineComparison> worst;
    double wall_s = 0;
    for (const CaseRun& run : comparison_.runs) {
      const RunResult* const result = run.outcome.result();
      if (result != nullptr && result->comparison) {
        wall_s += result->comparison->simgrid_wall_s;
        if (!worst || !(result->comparison->worst <= worst->worst)) {
          worst = result->comparison;
        }
      }
    }
    if (worst) {
      worst->simgrid_wall_s = wall_s;
    }
    return worst;
  }

  void print_table_title(std::size_t rank, std::size_t size) {
    std::string title = cell_in_words(comparison_, rank, size);
    // If routes differ, alpha and beta depend on which hosts are in use.
    const RunResult* result = any_result(rank);
    if (result != nullptr && !(result->described.prices == head_->described.prices)) {
      const Prices& prices = result->described.prices;
      title += fmt::format("   ({}, beta {} per byte)", alpha_in_words(prices, result->machine),
                           human_time(prices.beta_s_per_byte));
    }
    out_ << '\n';
    print_heading(out_, title);
  }

  void print_tables(const WinnerMap& map) {
    for (std::size_t r = 0; r < map.ranks().size(); ++r) {
      for (std::size_t s = 0; s < map.sizes().size(); ++s) {
        print_table(map.ranks()[r], map.sizes()[s], map.at(r, s));
      }
    }
  }

  // Prints the runs of a cell: runs with a result first, ordered by time, then runs without a
  // result.
  void print_table(std::size_t rank, std::size_t size, const CellWinners& best) {
    print_table_title(rank, size);
    std::vector<const RunResult*> results(comparison_.contenders.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] = comparison_.run(rank, size, i).outcome.result();
      order.push_back(i);
    }
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      if (results[a] == nullptr || results[b] == nullptr) {
        return results[a] != nullptr && results[b] == nullptr;
      }
      const double a_s = results[a]->time().seconds;
      const double b_s = results[b]->time().seconds;
      return a_s < b_s && differs(a_s, b_s);
    });
    const TimeUnit unit = unit_of(results);
    const double least_bad = least_bad_s(results);
    Table table(columns_in(unit));
    for (const std::size_t i : order) {
      const std::string& label = comparison_.contenders[i].label;
      if (results[i] != nullptr) {
        add_row(table, *results[i], label, unit, best.best.seconds, least_bad);
      } else {
        const CaseRun& run = comparison_.run(rank, size, i);
        table.add({"", label, run.outcome.failure() != nullptr ? "failed" : "refused", "", "", "",
                   "", "", "", "", fmt::format("[{}]", notes_.number_of_pattern(why_not(run)))},
                  Style::warning, 2);
      }
    }
    table.print(out_, 0);
  }

  [[nodiscard]] static TimeUnit unit_of(const std::vector<const RunResult*>& results) {
    std::vector<double> times;
    for (const RunResult* const result : results) {
      if (result != nullptr) {
        times.push_back(result->simulated_s);
        times.push_back(result->longest_path_s);
      }
    }
    return unit_of_column(times);
  }

  [[nodiscard]] std::vector<TableColumn> columns_in(const TimeUnit& unit) const {
    const auto in = [&](std::string_view what) { return fmt::format("{} {}", what, unit.name); };
    const bool all = details_ == Details::all;
    // The columns "published" and "path" have the same unit as the columns before them. Their
    // titles leave out the unit, so that lines stay within 100 characters.
    return {{""},
            {"algorithm"},
            {in(repeats_ > 0 ? "median" : "simulated"), true},
            {in("worst"), true, 0, repeats_ > 0},
            {"behind", true, 1},
            {kOfLimit, true, 2},
            {in("exact"), true, 3},
            {"formula", true, 4},
            {"published", true, 5, all},
            {"path", true, 6, all},
            {"notes"}};
  }

  // Returns the shortest of the algorithms' worst times, in seconds; -1 if there are no results.
  [[nodiscard]] static double least_bad_s(const std::vector<const RunResult*>& results) {
    double least = -1;
    for (const RunResult* const result : results) {
      if (result != nullptr && (least < 0 || result->repeats.most_s < least)) {
        least = result->repeats.most_s;
      }
    }
    return least;
  }

  void add_row(Table& table, const RunResult& result, const std::string& label,
               const TimeUnit& unit, double best, double least_bad) {
    const PublishedCost* published = result.main_published();
    const std::optional<double> published_s =
        published != nullptr ? std::optional(published->seconds) : std::nullopt;
    const std::optional<double> formula = result.exact_s ? result.exact_s : published_s;
    const auto time = [&](std::optional<double> seconds) {
      return seconds ? unit.print(*seconds) : std::string("-");
    };
    const RangedTime own = result.time();
    const bool is_best = !differs(own.seconds, best);
    any_ties_ = any_ties_ || own.ties_matter();
    table.add(
        {is_best ? "*" : "", label, ranged_time_in(unit, own),
         (differs(result.repeats.most_s, least_bad) ? "" : "*") + time(result.repeats.most_s),
         is_best || best <= 0 ? "" : signed_percent(own.seconds, best), of_limit_in_words(result),
         time(result.exact_s), formula ? signed_percent(*formula, result.simulated_s) : "",
         time(published_s), time(result.longest_path_s),
         why_columns_differ(result, comparison_.finds_segments, notes_)},
        is_best ? Style::best : Style::plain, 1);
    for (const PublishedCost& cost : result.published) {
      if (cost.misprint()) {
        const std::size_t note =
            notes_.number(fmt::format("{}: {}; {} (from: {})", result.algorithm->full_name(),
                                      cost.formula, cost.remark, cost.citation));
        table.add({"", "  as misprinted", "", "", "", "",
                   details_ == Details::all ? "" : time(cost.seconds),
                   signed_percent(cost.seconds, result.simulated_s), time(cost.seconds), "",
                   fmt::format("[{}]", note)});
      }
    }
  }

  // Prints how many runs of each algorithm were refused or failed, and what --all would show.
  // Called if no tables are printed.
  void say_what_did_not_run() {
    std::size_t count = 0;
    std::vector<std::string> who;
    for (std::size_t i = 0; i < comparison_.contenders.size(); ++i) {
      std::size_t refused = 0;
      std::size_t failed = 0;
      for (std::size_t at = i; at < comparison_.runs.size(); at += comparison_.contenders.size()) {
        const Outcome& outcome = comparison_.runs[at].outcome;
        refused += outcome.result() == nullptr && outcome.failure() == nullptr ? 1 : 0;
        failed += outcome.failure() != nullptr ? 1 : 0;
      }
      count += refused + failed;
      const std::string& label = comparison_.contenders[i].label;
      if (refused > 0) {
        who.push_back(fmt::format("{} refused {}", label, human_count(refused)));
      }
      if (failed > 0) {
        who.push_back(fmt::format("{} failed in {}", label, human_count(failed)));
      }
    }
    if (count > 0) {
      print_field(out_, 2, 10, "not run",
                  fmt::format("{} of {}: {}", human_count(count),
                              counted(comparison_.runs.size(), "case"), fmt::join(who, ", ")));
    }
    print_field(out_, 2, 10, flag_of("all"),
                fmt::format("shows every algorithm's time in each cell, next to formulas{}",
                            count > 0 ? ", and why cases did not run" : ""));
  }

  void print_legend() {
    out_ << '\n';
    print_field(
        out_, 0, 2, "*",
        fmt::format("best, by simulated time; behind: how much slower than the best; "
                    "{}: {}; exact: the exact cost; formula: how far the exact cost (or else the "
                    "published one) is from the simulated time; -: not known{}",
                    kOfLimit, kOfLimitMeans,
                    details_ == Details::all ? "; path: the longest path" : ""));
    if (any_ties_) {
      print_field(out_, 0, 2, "", fmt::format("a..b: {}", kTimesWithTies));
    }
    if (repeats_ > 0) {
      print_field(out_, 0, 2, "",
                  fmt::format("median, worst: of {} with different seeds; best: the shortest "
                              "median; * in the worst column: the shortest worst time",
                              counted(repeats_, "run")));
    }
  }

  const Comparison& comparison_;
  const WinnerMap& winners_;
  Details details_;
  const std::optional<SureChoices>& sure_;
  const Assumptions& assumptions_;
  std::ostream& out_;
  bool any_ties_ = false;
  std::uint32_t repeats_ = 0;  // number of runs per case; 0: each case was run once
  const RunResult* head_ = nullptr;
  NumberedNotes notes_;
};

}  // namespace

void print_comparison(const Comparison& comparison, const WinnerMap& winners, Details details,
                      const std::optional<SureChoices>& sure, const Assumptions& assumptions,
                      std::ostream& out) {
  Report(comparison, winners, details, sure, assumptions, out).print();
}

}}  // namespace tutti::output
