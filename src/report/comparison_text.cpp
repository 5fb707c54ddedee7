// The comparison for people: a table for each number of ranks and size, which algorithm is best
// where, and notes on why columns differ.
#include "src/report/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "base/human.hpp"
#include "base/printable.hpp"
#include "src/experiments/comparison.hpp"
#include "src/formats/text_table.hpp"
#include "src/report/numbered_notes.hpp"
#include "src/report/result_text.hpp"
#include "src/report/winners_text.hpp"

namespace tutti {

namespace {

// After the simulated time, where runs were repeated, the worst.
constexpr const char* kRow = "{} {:<{}}  {:>12}  {:>12}  {:>12}  {:>12}{}  {:>8}  {:>7}  {}";

void print_row(std::ostream& out, const std::string& line) {
  out << printable(line.substr(0, line.find_last_not_of(' ') + 1)) << '\n';
}

std::string time_or_dash(std::optional<double> seconds) {
  return seconds ? human_time(*seconds) : "-";
}

// How far a prediction is from the run: "equal", "-45.3 %".
std::string signed_percent(double value, double reference) {
  const auto error = relative_error(value, reference);
  if (!error) {
    return "";
  }
  if (!differs(value, reference)) {
    return "equal";
  }
  const double percent = 100 * *error;
  const double size = std::fabs(percent);
  if (size < 0.05) {
    return percent < 0 ? "-0.0 %" : "+0.0 %";
  }
  return fmt::format("{:+.{}f} %", percent, size < 100 ? 1 : 0);
}

class Report {
 public:
  Report(const Comparison& comparison, std::ostream& out) : comparison_(comparison), out_(out) {
    for (const CaseRun& run : comparison.runs) {
      const RunResult* const result = run.outcome.result();
      repeats_ = std::max(repeats_, result != nullptr ? result->repeats.runs : 0);
    }
    for (const Contender& contender : comparison.contenders) {
      label_width_ = std::max(label_width_, contender.label.size());
    }
  }

  void print() {
    print_head();
    for (std::size_t rank = 0; rank < comparison_.ranks.size(); ++rank) {
      for (std::size_t size = 0; size < comparison_.sizes_bytes.size(); ++size) {
        print_table(rank, size);
      }
    }
    print_winners(comparison_, out_);
    print_legend();
    notes_.print(out_);
  }

 private:
  // Any result of this number of ranks: they all have the same machine.
  [[nodiscard]] const RunResult* any_result(std::size_t rank) const {
    const std::size_t cells = comparison_.sizes_bytes.size() * comparison_.contenders.size();
    for (std::size_t i = rank * cells; i < (rank + 1) * cells; ++i) {
      if (const RunResult* const result = comparison_.runs[i].outcome.result()) {
        return result;
      }
    }
    return nullptr;
  }

  void print_head() {
    std::vector<std::string> ranks;
    ranks.reserve(comparison_.ranks.size());
    for (const std::uint32_t p : comparison_.ranks) {
      ranks.push_back(std::to_string(p));
    }
    constexpr std::size_t kMostListed = 12;
    if (ranks.size() > kMostListed) {
      ranks = {fmt::format("{} numbers from {} to {}", ranks.size(), ranks.front(), ranks.back())};
    }
    out_ << fmt::format("{}{} on {} {}", name(comparison_.collective), printable(given_options()),
                        fmt::join(ranks, ", "),
                        comparison_.ranks == std::vector<std::uint32_t>{1} ? "rank" : "ranks");
    if (comparison_.collective != Collective::barrier) {
      out_ << fmt::format(", {}", human_bytes(comparison_.sizes_bytes.front()));
      if (comparison_.sizes_bytes.size() > 1) {
        out_ << fmt::format(" to {} ({} sizes)", human_bytes(comparison_.sizes_bytes.back()),
                            comparison_.sizes_bytes.size());
      }
    }
    out_ << "\n\n";
    for (std::size_t rank = comparison_.ranks.size(); head_ == nullptr && rank > 0; --rank) {
      head_ = any_result(rank - 1);
    }
    if (head_ == nullptr) {
      return;
    }
    std::string platform = platform_in_words(*head_);
    if (head_->machine.made_on_the_fly() && comparison_.ranks.size() > 1) {
      platform = "for each number of ranks " + platform;
      const std::string hosts = counted(head_->described.facts.hosts, "host");
      if (const std::size_t at = platform.find(hosts); at != std::string::npos) {
        platform.replace(at, hosts.size(), "as many hosts as it takes");
      }
    }
    RunResult head = *head_;
    head.comparison = worst_of_all();
    print_machine(head, platform, symmetry_of_all(), out_);
  }

  // " --tree binary --cuts open_mpi": each contender has those that it takes. What is not the same
  // for all of them is in their labels.
  [[nodiscard]] std::string given_options() const {
    constexpr std::size_t kMostCharacters = 60;
    std::string words;
    const auto say = [&words](std::string_view flag, const std::string& value) {
      words += fmt::format(" {} {}{}", flag, value.substr(0, kMostCharacters),
                           value.size() > kMostCharacters ? "..." : "");
    };
    for (const OptionType* type : option_types()) {
      const SaidOption* given = nullptr;
      bool alike = true;
      for (const Contender& contender : comparison_.contenders) {
        for (const SaidOption& said : contender.asked.said) {
          if (said.option == type->option) {
            alike = alike && (given == nullptr || given->text == said.text);
            given = given == nullptr ? &said : given;
          }
        }
      }
      if (given != nullptr && alike) {
        say(given->flag, given->text);
      }
    }
    if (const auto root = comparison_.contenders.front().asked.root) {
      say("--root", fmt::format("{}", *root));
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
        "in {} of {} one rank was simulated for all that are alike there; "
        "--symmetry off simulates each",
        human_count(used), counted(all, "run"));
  }

  // With --engine both: the largest difference of any run, and the time that SimGrid took for all.
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

  void print_title(std::size_t rank, std::size_t size) {
    out_ << fmt::format("\np = {}", comparison_.ranks[rank]);
    if (comparison_.collective != Collective::barrier) {
      out_ << fmt::format(", n = {}", human_bytes(comparison_.sizes_bytes[size]));
    }
    // Where routes differ, alpha and beta depend on which hosts are in use.
    const RunResult* result = any_result(rank);
    if (result != nullptr && !(result->described.prices == head_->described.prices)) {
      const Prices& prices = result->described.prices;
      out_ << fmt::format("   (alpha {}, beta {} per byte)", human_time(prices.alpha_s),
                          human_time(prices.beta_s_per_byte));
    }
    out_ << '\n';
  }

  void print_table(std::size_t rank, std::size_t size) {
    print_title(rank, size);
    print_row(out_, fmt::format(kRow, ' ', "algorithm", label_width_, "published", "exact cost",
                                "longest path", repeats_ > 0 ? "median" : "simulated",
                                worst_column("worst"), "formula", "x best", "notes"));
    const double best = best_s(comparison_, rank, size);
    const double least_bad = least_bad_s(rank, size);
    for (std::size_t i = 0; i < comparison_.contenders.size(); ++i) {
      const CaseRun& run = comparison_.run(rank, size, i);
      const RunResult* const result = run.outcome.result();
      const std::string& label = comparison_.contenders[i].label;
      if (result == nullptr) {
        print_row(out_, fmt::format(kRow, ' ', label, label_width_, "", "", "",
                                    run.outcome.failure() != nullptr ? "failed" : "refused",
                                    worst_column(""), "", "",
                                    fmt::format("[{}]", notes_.number_of_pattern(why_not(run)))));
        continue;
      }
      print_result_row(*result, label, best, least_bad);
    }
  }

  [[nodiscard]] std::string worst_column(const std::string& text) const {
    return repeats_ > 0 ? fmt::format("  {:>13}", text) : "";
  }
  // The shortest of the worst runs of all.
  [[nodiscard]] double least_bad_s(std::size_t rank, std::size_t size) const {
    double least = -1;
    for (std::size_t i = 0; i < comparison_.contenders.size(); ++i) {
      const RunResult* const result = comparison_.run(rank, size, i).outcome.result();
      if (result != nullptr && (least < 0 || result->repeats.most_s < least)) {
        least = result->repeats.most_s;
      }
    }
    return least;
  }

  void print_result_row(const RunResult& result, const std::string& label, double best,
                        double least_bad) {
    const PublishedCost* published = result.main_published();
    const std::optional<double> published_s =
        published != nullptr ? std::optional(published->seconds) : std::nullopt;
    const std::optional<double> formula = result.exact_s ? result.exact_s : published_s;
    const bool is_best = !differs(result.simulated_s, best);
    print_row(out_, fmt::format(kRow, is_best ? '*' : ' ', label, label_width_,
                                time_or_dash(published_s), time_or_dash(result.exact_s),
                                human_time(result.longest_path_s), human_time(result.simulated_s),
                                worst_column(fmt::format(
                                    "{}{}", differs(result.repeats.most_s, least_bad) ? "" : "*",
                                    human_time(result.repeats.most_s))),
                                formula ? signed_percent(*formula, result.simulated_s) : "",
                                is_best    ? "1"
                                : best > 0 ? fmt::format("{:.4g}", result.simulated_s / best)
                                           : "",
                                notes_of(result, published)));
    for (const PublishedCost& cost : result.published) {
      if (cost.misprint()) {
        print_row(
            out_,
            fmt::format(
                kRow, ' ', "  as misprinted", label_width_, human_time(cost.seconds), "", "", "",
                worst_column(""), signed_percent(cost.seconds, result.simulated_s), "",
                fmt::format("[{}]", notes_.number(fmt::format(
                                        "{}: {}; {} (from: {})", result.algorithm->full_name(),
                                        cost.formula, cost.remark, cost.citation)))));
      }
    }
  }

  // Why the columns of this row differ, where they do.
  std::string notes_of(const RunResult& result, const PublishedCost* published) {
    std::vector<std::size_t> numbers;
    const auto add = [&](const std::string& text) {
      const std::size_t number = notes_.number(text);
      if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) {
        numbers.push_back(number);
      }
    };
    if (!result.unproved.empty()) {
      add(fmt::format("unproved: {}: {}", result.file, result.unproved));
    }
    const bool disturbed = result.machine.setup.disturbance.any();
    const double closest_s = result.exact_s.value_or(result.longest_path_s);
    if (published == nullptr) {
      for (const PublishedFormula& other : formulas_of_others(result)) {
        add(fmt::format("{}, published as {}: holds for {}", result.algorithm->full_name(),
                        other.formula, other.condition));
      }
    } else if (!disturbed && differs(published->seconds, closest_s) &&
               (published->account != Account::exact || result.even_blocks())) {
      add(fmt::format("{}, published as {}: {}", result.algorithm->full_name(), published->formula,
                      why_published_differs(*published)));
    }
    if ((result.exact_s && differs(*result.exact_s, result.simulated_s)) ||
        (disturbed && published != nullptr)) {
      for (const std::string& reason : gap_reasons(result, true, false)) {
        add(reason);
      }
    }
    if (differs(result.longest_path_s, result.simulated_s)) {
      for (const std::string& reason : gap_reasons(result, false, false)) {
        add(reason);
      }
    }
    std::sort(numbers.begin(), numbers.end());
    std::string text;
    for (const std::size_t number : numbers) {
      text += fmt::format("[{}]", number);
    }
    if (comparison_.finds_segments && result.problem.segment_bytes > 0 &&
        takes(*result.algorithm, Option::segment)) {
      text += fmt::format("{}segments of {}", text.empty() ? "" : " ",
                          human_bytes(result.problem.segment_bytes));
    }
    return text;
  }

  // What was published of the algorithm, where nothing of it holds for the run.
  static std::vector<PublishedFormula> formulas_of_others(const RunResult& result) {
    if (result.algorithm->program != nullptr) {
      return {};
    }
    std::vector<PublishedFormula> others = published_formulas(result.algorithm->full_name());
    std::erase_if(others, [](const PublishedFormula& each) { return each.misprint(); });
    return others;
  }

  static std::string why_published_differs(const PublishedCost& published) {
    if (published.account == Account::exact) {
      return published.remark.empty() ? "that is not the cost of this schedule"
                                      : std::string(published.remark);
    }
    return fmt::format("{}{}{}", name(published.account), published.remark.empty() ? "" : ": ",
                       published.remark);
  }

  static Sentence why_not(const CaseRun& run) {
    const Refusal* const refusal = run.outcome.refusal();
    const Sentence why = refusal != nullptr ? refusal->why : Sentence(run.outcome.why_not());
    const std::string name = run.algorithm->full_name();
    return why.text.find(name) == std::string::npos ? why.after(name + ": ") : why;
  }

  void print_legend() {
    out_
        << "\n* best, by simulated time; x best: how much longer the others take; formula: how far "
           "the exact\n  cost (where there is none, the published one) is from the simulated "
           "time; -: none is known\n";
    if (repeats_ > 0) {
      out_ << fmt::format(
          "  median, worst: of {} with different seeds; best is who has the shortest median, and * "
          "at\n  the worst who has the shortest of those\n",
          counted(repeats_, "run"));
    }
  }

  const Comparison& comparison_;
  std::ostream& out_;
  std::uint32_t repeats_ = 0;  // runs of a case; 0: each was run once
  std::size_t label_width_ = std::string_view("  as misprinted").size();
  const RunResult* head_ = nullptr;
  NumberedNotes notes_;
};

}  // namespace

void print_comparison(const Comparison& comparison, std::ostream& out) {
  Report(comparison, out).print();
}

}  // namespace tutti
