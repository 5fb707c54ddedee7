// The document tutti-comparison/1.
#include "src/output/comparison_json.hpp"

#include <nlohmann/json.hpp>

#include <vector>

#include "schedules/run_words.hpp"
#include "src/output/common_fields.hpp"
#include "src/output/result_json.hpp"
#include "src/output/sure_text.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace output {

namespace { namespace comparison_fields {

// The fastest algorithm of a cell, and the algorithms that count as equally fast.
struct BestOfCell {
  const Comparison& comparison;
  std::size_t rank_index;
  std::size_t size_index;
  const CellWinners& cell;
  std::optional<std::size_t> best;  // nothing if no algorithm has a time

  [[nodiscard]] const CaseRun& run() const { return comparison.run(rank_index, size_index, *best); }
  [[nodiscard]] const RunResult* result() const { return best ? run().outcome.result() : nullptr; }
  [[nodiscard]] std::string label(std::size_t contender) const {
    return comparison.contenders[contender].label;
  }
  // Returns the value of a field that is null if no algorithm has a time.
  template <typename ValueOf>
  [[nodiscard]] auto if_any(const ValueOf& value_of) const {
    using Value = std::remove_cvref_t<decltype(value_of(*result()))>;
    const RunResult* const known = result();
    return known != nullptr ? std::optional<Value>(value_of(*known)) : std::nullopt;
  }
};

std::vector<BestOfCell> best_of_cells(const ComparisonAnswer& answer) {
  std::vector<BestOfCell> all;
  const WinnerMap& winners = answer.winners;
  for (std::size_t rank = 0; rank < winners.ranks().size(); ++rank) {
    for (std::size_t size = 0; size < winners.sizes().size(); ++size) {
      all.push_back({answer.comparison, winners.ranks()[rank], winners.sizes()[size],
                     winners.at(rank, size), winners.shown(rank, size)});
    }
  }
  return all;
}

std::vector<std::string> equally_fast(const BestOfCell& of) {
  std::vector<std::string> labels;
  for (const auto* contenders : {&of.cell.who, &of.cell.level}) {
    for (const std::size_t contender : *contenders) {
      if (contender != of.best) {
        labels.push_back(of.label(contender));
      }
    }
  }
  return labels;
}

constexpr auto kBest = fields<BestOfCell>({
    {"ranks", [](const BestOfCell& of) { return of.comparison.ranks[of.rank_index]; }, at_least(1)},
    // With --sizes skewed, the size of a run is more than what the user gave.
    {"bytes",
     [](const BestOfCell& of) {
       return of.best ? of.run().problem.bytes : of.comparison.sizes_bytes[of.size_index];
     }},
    {"label",
     [](const BestOfCell& of) {
       return of.if_any([&](const RunResult&) { return of.label(*of.best); });
     },
     "Name of the algorithm among those compared: the algorithm, with the option that "
     "distinguishes it from other variants; or the file of a program."},
    {"algorithm",
     [](const BestOfCell& of) {
       return of.if_any([](const RunResult& r) { return std::string_view(r.algorithm->name); });
     }},
    {"options",
     [](const BestOfCell& of) {
       return of.if_any([](const RunResult& r) { return options_text(*r.algorithm, r.problem); });
     },
     "Options that the algorithm takes, as on the command line. Empty if there are none."},
    {"time_s",
     [](const BestOfCell& of) {
       return of.if_any([&](const RunResult&) { return of.cell.best.seconds; });
     },
     "Time by which algorithms are ranked: simulated_s or, if the order of ties matters, the "
     "median over several orders."},
    {"least_s",
     [](const BestOfCell& of) {
       return of.if_any([&](const RunResult&) { return of.cell.best.least_s(); });
     },
     "Shortest time over several orders of ties; time_s if only one order was tried."},
    {"most_s",
     [](const BestOfCell& of) {
       return of.if_any([&](const RunResult&) { return of.cell.best.most_s(); });
     },
     "Longest time over several orders of ties."},
    {"bound_s",
     [](const BestOfCell& of) { return of.result() ? of.result()->bound_s : std::nullopt; },
     "Lower bound on the time of any schedule on this network. null if it is unknown."},
    {"of_limit",
     [](const BestOfCell& of) { return of.result() ? of.result()->of_limit() : std::nullopt; },
     "time_s / bound_s. null if bound_s is null or 0."},
    {"equally_fast", from<equally_fast>,
     "Labels of the other algorithms that count as equally fast: their times are equal, or their "
     "ranges over orders of ties overlap."},
    {"second",
     [](const BestOfCell& of) {
       return of.cell.second ? std::optional(of.label(*of.cell.second)) : std::nullopt;
     },
     "Label of the fastest algorithm whose time is longer. null if there is none."},
    {"margin", [](const BestOfCell& of) { return of.cell.margin(); },
     "How much longer `second` takes, as a share of time_s; 0 if the ranges over orders of ties "
     "overlap."},
});

std::vector<JsonValue> rows_of(const ComparisonAnswer& answer) {
  std::vector<JsonValue> rows;
  for (const CaseRun& run : answer.comparison.runs) {
    rows.push_back(result_row_json(run));
  }
  return rows;
}

std::optional<SureAnswer> sure_answer(const ComparisonAnswer& answer) {
  if (!answer.sure) {
    return std::nullopt;
  }
  const Comparison& comparison = answer.comparison;
  return SureAnswer{*answer.sure, comparison.ranks,
                    [&](std::size_t i) { return comparison.contenders[i].label; }};
}

constexpr auto kComparison = fields<ComparisonAnswer>({
    {"collective", [](const ComparisonAnswer& of) { return name(of.comparison.collective); }},
    {"cells", from<rows_of>, items_from(1),
     "A row of the form tutti-result/1 for each number of ranks, size and algorithm, in this "
     "order. All rows have the same fields."},
    {"best", kBest, from<best_of_cells>, items_from(1),
     "The fastest algorithm for each number of ranks and size, in increasing order. The fields are "
     "null if no algorithm has a result."},
    {"sure", kSureFields, from<sure_answer>, absent,
     "Results of --sure. Absent without this option."},
});

}}  // namespace ::comparison_fields

extern const DocumentOf<ComparisonAnswer> kComparisonDocument{
    {"tutti-comparison/1",
     "the runs of all algorithms of a collective over ranks and sizes, as written by tutti compare "
     "--json",
     comparison_fields::kComparison.view()}};

}}  // namespace tutti::output
