// Text and JSON output of validations.
#include "src/output/validation_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <ostream>

#include "base/human.hpp"
#include "schedules/run_words.hpp"
#include "src/experiments/points/validation.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/common_fields.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr double kMicroseconds = 1e6;

void add_cell(const Validation& validation, const ValidatedCell& cell, Table& table) {
  for (const std::size_t i : cell.runs) {
    const ValidatedRun& run = validation.runs[i];
    const Problem& problem = run.measured->problem;
    std::vector<std::string> notes;
    if (i == cell.fastest) {
      notes.emplace_back("fastest");
    }
    if (i == cell.picked) {
      notes.emplace_back("picked");
    }
    if (run.measured->oversubscribed) {
      notes.emplace_back("(ranks share cores)");
    }
    table.add(
        {run.measured->algorithm->full_name(), fmt::format("{}", problem.ranks),
         fmt::format("{}", problem.bytes),
         fmt::format("{:.2f}", run.measured->median_s * kMicroseconds),
         fmt::format("{:.2f}", run.simulated_s * kMicroseconds),
         fmt::format("{:+.1f}%", run.error() * 100), fmt::format("{}", fmt::join(notes, "  "))},
        i == cell.fastest ? Style::best : Style::plain, 0);
  }
}

void print_miss(const Validation& validation, const ValidatedCell& cell, std::ostream& out) {
  const ValidatedRun& picked = validation.runs[cell.picked];
  const ValidatedRun& fastest = validation.runs[cell.fastest];
  const Problem& problem = picked.measured->problem;
  print_field(out, 2, 0, "",
              fmt::format("{}, {}, {}: picked {}, which takes {:.1f} % longer than {}{}",
                          name(problem.collective), counted(problem.ranks, "rank"),
                          human_bytes(problem.bytes), picked.measured->algorithm->name,
                          cell.loss * 100, fastest.measured->algorithm->name,
                          picked.measured->oversubscribed ? " (ranks share cores)" : ""));
  for (const ValidatedRun* run : {&picked, &fastest}) {
    for (const OpDifference& each : run->differences) {
      print_field(
          out, 4, 0, "",
          fmt::format("{} {}: measured {}, simulated {}", run->measured->algorithm->name,
                      each.label, human_time(each.measured_s), human_time(each.simulated_s)));
    }
  }
}

}  // namespace

void print_validation(const Validation& validation, std::ostream& out) {
  Table runs({{"# algorithm"},
              {"ranks", true},
              {"bytes", true},
              {"measured us", true},
              {"simulated us", true},
              {"error", true},
              {""}});
  for (const ValidatedCell& cell : validation.cells) {
    add_cell(validation, cell, runs);
  }
  runs.print(out, 0);
  out << '\n';
  Table summaries({{"# collective"},
                   {"ranks", true},
                   {"runs", true, 1},
                   {"median error", true},
                   {"from 4 KiB on", true, 2},
                   {"worst", true, 1},
                   {"ranking", true},
                   {"fastest picked", true},
                   {""}});
  for (const ValidationSummary& summary : validation.summaries) {
    summaries.add(
        {std::string(name(summary.collective)), fmt::format("{}", summary.ranks),
         fmt::format("{}", summary.runs), fmt::format("{:.1f}%", summary.median_error * 100),
         summary.runs_from_4k == 0 ? "-"
                                   : fmt::format("{:.1f}%", summary.median_error_from_4k * 100),
         fmt::format("{:.1f}%", summary.worst_error * 100),
         summary.rank_correlation ? fmt::format("{:.2f}", *summary.rank_correlation) : "-",
         fmt::format("{} of {}", summary.right, summary.cells),
         summary.oversubscribed ? "(ranks share cores)" : ""});
  }
  summaries.print(out, 0);
  print_field(out, 0, 2, "#",
              "ranking: mean rank correlation of the algorithms' times; picked: within 5 % of the "
              "fastest, or within the precision of the measurements; algorithms with equal "
              "simulated times count as one, with the median of their measured times");
  if (!validation.too_busy.empty()) {
    print_field(
        out, 0, 2, "#",
        fmt::format("left out: {}, because the machine was too busy for reliable times ({}{})",
                    counted(validation.too_busy.size(), "run"), validation.too_busy.front(),
                    validation.too_busy.size() == 1 ? "" : " and others"));
  }
  bool any = false;
  for (const ValidatedCell& cell : validation.cells) {
    if (!cell.right && cell.runs.size() > 1) {
      out << (any ? "" : "\nNot picked\n");
      print_miss(validation, cell, out);
      any = true;
    }
  }
}

namespace { namespace validation_fields {

constexpr auto kOperation = fields<OpDifference>({
    {"op", member<&OpDifference::id>},
    {"label", member<&OpDifference::label>},
    {"measured_s", member<&OpDifference::measured_s>},
    {"simulated_s", member<&OpDifference::simulated_s>},
});

constexpr auto kRun = fields<ValidatedRun>({
    {"collective", [](const ValidatedRun& of) { return name(of.measured->problem.collective); }},
    {"algorithm",
     [](const ValidatedRun& of) { return std::string_view(of.measured->algorithm->name); }},
    {"options",
     [](const ValidatedRun& of) {
       return options_text(*of.measured->algorithm, of.measured->problem);
     },
     added_later, "Options that the algorithm takes, as on the command line."},
    {"ranks", [](const ValidatedRun& of) { return of.measured->problem.ranks; }, at_least(1)},
    {"bytes", [](const ValidatedRun& of) { return of.measured->problem.bytes; }},
    {"root",
     [](const ValidatedRun& of) {
       return value_if(has_root(of.measured->problem.collective), of.measured->problem.root);
     }},
    {"oversubscribed", [](const ValidatedRun& of) { return of.measured->oversubscribed; }},
    {"measured_s", [](const ValidatedRun& of) { return of.measured->median_s; },
     "Median over the iterations of the time of the slowest rank."},
    {"simulated_s", member<&ValidatedRun::simulated_s>},
    {"error", [](const ValidatedRun& of) { return of.error(); }, any_sign,
     "simulated_s / measured_s - 1."},
    {"operations", kOperation, member<&ValidatedRun::differences>,
     "Operations whose durations differ most. A duration begins when all predecessors have ended, "
     "and lasts until the end of the operation. Empty if no timeline was measured."},
});

constexpr auto kCell = fields<ValidatedCell>({
    {"runs", member<&ValidatedCell::runs>, items_from(1)},
    {"picked", member<&ValidatedCell::picked>,
     "Index of the run with the shortest simulated time."},
    {"fastest", member<&ValidatedCell::fastest>,
     "Index of the run with the shortest measured time among the runs of the fastest choice."},
    {"loss", member<&ValidatedCell::loss>,
     "Measured time of the picked choice over that of the fastest choice, less 1."},
    {"right", member<&ValidatedCell::right>,
     "True if the loss is at most 5 %, or if the confidence intervals of the two choices overlap."},
});

constexpr double kCorrelationLimit = 1.000001;

constexpr auto kSummary = fields<ValidationSummary>({
    {"collective", [](const ValidationSummary& of) { return name(of.collective); }},
    {"ranks", member<&ValidationSummary::ranks>, at_least(1)},
    {"oversubscribed", member<&ValidationSummary::oversubscribed>},
    {"runs", member<&ValidationSummary::runs>},
    {"median_error", member<&ValidationSummary::median_error>},
    {"worst_error", member<&ValidationSummary::worst_error>},
    {"runs_from_4k", member<&ValidationSummary::runs_from_4k>},
    {"median_error_from_4k", member<&ValidationSummary::median_error_from_4k>},
    {"rank_correlation", member<&ValidationSummary::rank_correlation>,
     between(-kCorrelationLimit, kCorrelationLimit)},
    {"cells", member<&ValidationSummary::cells>, "Number of cells with at least two algorithms."},
    {"right", member<&ValidationSummary::right>},
});

constexpr auto kValidation = fields<Validation>({
    {"runs", kRun, member<&Validation::runs>},
    {"too_busy", member<&Validation::too_busy>,
     "Descriptions of runs in the file that are left out, because the machine was too busy for "
     "reliable times."},
    {"cells", kCell, member<&Validation::cells>,
     "All runs of one collective with the same number of ranks, size and root, as indices into "
     "`runs`. Runs with equal simulated times count as one choice, whose time is the median of "
     "their measured times."},
    {"summaries", kSummary, member<&Validation::summaries>},
});

}}  // namespace ::validation_fields

extern const DocumentOf<Validation> kValidationDocument{
    {"tutti-validation/1",
     "runs on real MPI compared with simulated runs, as written by tutti validate --json",
     validation_fields::kValidation.view()}};

}}  // namespace tutti::output
