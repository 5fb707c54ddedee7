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

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

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

void write_validation_json(const Validation& validation, std::ostream& out) {
  Json json;
  json["schema"] = "tutti-validation/1";
  json["runs"] = Json::array();
  for (const ValidatedRun& run : validation.runs) {
    const Problem& problem = run.measured->problem;
    Json entry{{"collective", name(problem.collective)},
               {"algorithm", run.measured->algorithm->name},
               {"options", options_text(*run.measured->algorithm, problem)},
               {"ranks", problem.ranks},
               {"bytes", problem.bytes},
               {"root", has_root(problem.collective) ? Json(problem.root) : Json()},
               {"oversubscribed", run.measured->oversubscribed},
               {"measured_s", run.measured->median_s},
               {"simulated_s", run.simulated_s},
               {"error", run.error()}};
    entry["operations"] = Json::array();
    for (const OpDifference& each : run.differences) {
      entry["operations"].push_back({{"op", each.id},
                                     {"label", each.label},
                                     {"measured_s", each.measured_s},
                                     {"simulated_s", each.simulated_s}});
    }
    json["runs"].push_back(entry);
  }
  json["too_busy"] = validation.too_busy;
  json["cells"] = Json::array();
  for (const ValidatedCell& cell : validation.cells) {
    json["cells"].push_back({{"runs", cell.runs},
                             {"picked", cell.picked},
                             {"fastest", cell.fastest},
                             {"loss", cell.loss},
                             {"right", cell.right}});
  }
  json["summaries"] = Json::array();
  for (const ValidationSummary& summary : validation.summaries) {
    json["summaries"].push_back({{"collective", name(summary.collective)},
                                 {"ranks", summary.ranks},
                                 {"oversubscribed", summary.oversubscribed},
                                 {"runs", summary.runs},
                                 {"median_error", summary.median_error},
                                 {"worst_error", summary.worst_error},
                                 {"runs_from_4k", summary.runs_from_4k},
                                 {"median_error_from_4k", summary.median_error_from_4k},
                                 {"rank_correlation", or_null(summary.rank_correlation)},
                                 {"cells", summary.cells},
                                 {"right", summary.right}});
  }
  write_document(json, 2, out);
}

}}  // namespace tutti::output
