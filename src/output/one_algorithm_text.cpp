#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/time_column.hpp"
#include "cost_models/lower_bounds.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/comparison_text.hpp"
#include "src/output/result_words.hpp"

namespace tutti { inline namespace output {

namespace {

// Bus bandwidth as in NCCL's tests: the bytes that the busiest port must move with any algorithm,
// divided by the time. For any collective and any number of ranks, bus bandwidth is comparable with
// a link's bandwidth.
double bus_bytes_per_s(const RunResult& result) {
  const Prices one_second_per_byte{0, 1, 0};
  return lower_bounds(result.problem, one_second_per_byte).bandwidth_s / result.time().seconds;
}

std::string digits(double value) {
  return fmt::format("{:.{}f}", value, value < 1 ? 4 : value < 10 ? 3 : value < 100 ? 2 : 1);
}

class OneAlgorithm {
 public:
  OneAlgorithm(const Comparison& comparison, NumberedNotes& notes, std::ostream& out)
      : comparison_(comparison), notes_(notes), out_(out), sizes_(comparison.sizes_bytes.size()) {
    std::iota(sizes_.begin(), sizes_.end(), std::size_t{0});
    std::ranges::sort(sizes_, [&](std::size_t a, std::size_t b) {
      return comparison.sizes_bytes[a] < comparison.sizes_bytes[b];
    });
  }

  void print() {
    // All tables have the same time unit, so that users can compare their numbers.
    std::vector<double> times;
    for (const CaseRun& run : comparison_.runs) {
      if (const RunResult* const result = run.outcome.result()) {
        times.push_back(result->simulated_s);
        repeats_ = std::max(repeats_, result->repeats.runs);
        limits_ = limits_ || result->of_limit();
        const auto published = published_s(*result);
        published_alike_ =
            published_alike_ &&
            (!published || (result->exact_s && !differs(*published, *result->exact_s)));
        misprints_ = misprints_ || std::ranges::any_of(result->published, [](const auto& cost) {
                       return cost.misprint();
                     });
      }
    }
    unit_ = unit_of_column(times);
    for (std::size_t rank = 0; rank < comparison_.ranks.size(); ++rank) {
      if (comparison_.ranks.size() > 1) {
        out_ << (rank > 0 ? "\n" : "");
        print_heading(out_, fmt::format("p = {}", comparison_.ranks[rank]));
      }
      print_table(rank);
    }
    print_formulas();
  }

 private:
  [[nodiscard]] static std::optional<double> published_s(const RunResult& result) {
    const PublishedCost* const published = result.main_published();
    return published != nullptr ? std::optional(published->seconds) : std::nullopt;
  }

  void print_table(std::size_t rank) {
    const bool sizes = comparison_.collective != Collective::barrier;
    const auto in_unit = [&](std::string_view what) {
      return fmt::format("{} {}", what, unit_.name);
    };
    Table table({{sizes ? "n" : "", true},
                 {in_unit(repeats_ > 0 ? "median" : "time"), true},
                 {in_unit("worst"), true, 0, repeats_ > 0},
                 {kOfLimit, true, 0, limits_},
                 {"bus GB/s", true, 0, sizes},
                 {in_unit("exact"), true, 1},
                 {"off", true, 1},
                 {in_unit("published"), true, 2},
                 {"off", true, 2, !published_alike_},
                 {in_unit("misprinted"), true, 3, misprints_},
                 {"notes"}});
    for (const std::size_t size : sizes_) {
      const CaseRun& run = comparison_.run(rank, size, 0);
      const std::string n = sizes ? human_bytes(comparison_.sizes_bytes[size]) : std::string();
      if (run.outcome.result() != nullptr) {
        add_row(table, n, sizes, *run.outcome.result());
        continue;
      }
      table.add({n, run.outcome.failure() != nullptr ? "failed" : "refused", "", "", "", "", "", "",
                 "", "", fmt::format("[{}]", notes_.number_of_pattern(why_not(run)))},
                Style::warning, 1);
    }
    table.print(out_, 2);
  }

  void add_row(Table& table, const std::string& n, bool sizes, const RunResult& result) {
    any_ties_ = any_ties_ || result.time().ties_matter();
    const auto time = [&](std::optional<double> seconds) {
      return seconds ? unit_.print(*seconds) : "-";
    };
    const auto off = [&](std::optional<double> seconds) {
      return seconds ? signed_percent(*seconds, result.simulated_s) : "";
    };
    const auto published = published_s(result);
    const auto misprint = std::ranges::find_if(result.published, &PublishedCost::misprint);
    table.add({n, ranged_time_in(unit_, result.time()), unit_.print(result.repeats.most_s),
               of_limit_in_words(result),
               sizes && result.simulated_s > 0 ? digits(bus_bytes_per_s(result) / 1e9) : "-",
               time(result.exact_s), off(result.exact_s), time(published), off(published),
               misprint == result.published.end() ? "-" : unit_.print(misprint->seconds),
               why_columns_differ(result, comparison_.finds_segments, notes_)},
              Style::best, 1);
  }

  // Prints what the columns mean, and each published formula that a row uses.
  void print_formulas() {
    constexpr std::size_t kKey = 12;
    out_ << '\n';
    const Algorithm& algorithm = *comparison_.contenders.front().algorithm;
    if (any_ties_) {
      print_field(out_, 2, kKey, "time a..b", kTimesWithTies);
    }
    if (limits_) {
      print_field(out_, 2, kKey, kOfLimit, kOfLimitMeans);
    }
    if (comparison_.collective != Collective::barrier) {
      print_field(out_, 2, kKey, "bus GB/s",
                  "bytes that the busiest port must move in any algorithm, divided by the time");
    }
    print_field(out_, 2, kKey, "exact",
                algorithm.cost.empty() ? "no closed form is known" : with_fields(algorithm.cost));
    std::vector<std::string> printed;
    for (const CaseRun& run : comparison_.runs) {
      const RunResult* const result = run.outcome.result();
      for (const PublishedCost& cost :
           result != nullptr ? result->published : std::vector<PublishedCost>()) {
        const PublishedCost* const main = result->main_published();
        if ((main == nullptr || cost.formula != main->formula) && !cost.misprint()) {
          continue;
        }
        std::string text = fmt::format("{}, for {} ({}; {})", cost.formula,
                                       with_fields(cost.condition), cost.citation, cost.section);
        if (std::ranges::find(printed, text) == printed.end()) {
          print_field(out_, 2, kKey, cost.misprint() ? "misprinted" : "published", text);
          printed.push_back(std::move(text));
        }
      }
    }
  }

  const Comparison& comparison_;
  NumberedNotes& notes_;
  std::ostream& out_;
  std::vector<std::size_t> sizes_;
  TimeUnit unit_;
  std::uint32_t repeats_ = 0;
  bool misprints_ = false;
  bool limits_ = false;  // true if the limit of any run is known
  bool any_ties_ = false;
  bool published_alike_ = true;  // true if all known published costs equal the exact cost
};

}  // namespace

void print_one_algorithm(const Comparison& comparison, NumberedNotes& notes, std::ostream& out) {
  OneAlgorithm(comparison, notes, out).print();
}

}}  // namespace tutti::output
