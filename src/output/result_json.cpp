// JSON and CSV output of results: src/formats/schemas/tutti-result-1.schema.json defines the JSON.
#include "src/output/result_json.hpp"

#include <nlohmann/json.hpp>

#include "base/field_names.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/run_words.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/option_json.hpp"
#include "src/output/result_words.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::inline output {

namespace {

using Json = nlohmann::ordered_json;

Json published_json(const RunResult& result) {
  return json_array(result.published, [&](const PublishedCost& cost) -> Json {
    return {{"formula", cost.formula},
            {"citation", cost.citation},
            {"section", cost.section},
            {"holds_for", with_fields(cost.condition)},
            {"account", name(cost.account)},
            {"seconds", cost.seconds},
            {"relative_error", or_null(relative_error(cost.seconds, result.simulated_s))},
            {"remark", cost.remark},
            {"misprint", cost.misprint()}};
  });
}

// Returns the fields that have a single value. A table of results has a column for each of these
// fields, in the same order.
Json scalars(const RunResult& result) {
  const Prices& prices = result.described.prices;
  const PublishedCost* published = result.main_published();
  Json json;
  json["schema"] = "tutti-result/1";
  json["collective"] = name(result.problem.collective);
  json["algorithm"] = result.algorithm->name;
  json["ranks"] = result.problem.ranks;
  json["bytes"] = result.problem.bytes;
  json["element_bytes"] = result.problem.element_bytes;
  json["options"] = options_text(*result.algorithm, result.problem);
  json["root"] = has_root(result.problem.collective) ? Json(result.problem.root) : Json();
  Problem shown = result.problem;
  if (result.takes(Option::segment) && result.unproved.empty()) {
    shown.segment_bytes = result.largest_block_bytes;  // in this schedule, a segment is a block
  }
  put_options(json, *result.algorithm, shown, RecordOf::simulation);
  json["engine"] = result.machine.engine->name;
  json["engine_asked"] = result.machine.spec.engine;
  json["engines_differ_by"] = result.comparison ? Json(result.comparison->worst) : Json();
  json["symmetry"] = result.symmetry ? Json(name(*result.symmetry)) : Json();
  json["platform"] = result.described.facts.name;
  json["hosts_used"] = result.described.facts.hosts_used;
  json["network_model"] = result.machine.engine->has_network
                              ? Json(result.machine.spec.network_model)
                              : Json("hockney");
  json["ports"] = result.machine.setup.ports == kUnlimitedPorts ? Json("unlimited")
                                                                : Json(result.machine.setup.ports);
  json["alpha_s"] = prices.alpha_s;
  json["beta_s_per_byte"] = prices.beta_s_per_byte;
  json["gamma_s_per_byte"] = prices.gamma_s_per_byte;
  json["copy_s_per_byte"] = prices.copy_s_per_byte;
  json["messages"] = result.messages;
  json["bytes_sent"] = result.bytes_sent;
  json["bytes_reduced"] = result.bytes_reduced;
  json["ops"] = result.ops;
  json["dependencies"] = result.dependencies;
  json["rounds"] = result.rounds;
  json["blocks"] = result.blocks;
  json["smallest_block_bytes"] = result.smallest_block_bytes;
  json["largest_block_bytes"] = result.largest_block_bytes;
  json["simulated_s"] = result.simulated_s;
  json["bound_s"] = or_null(result.bound_s);
  json["of_limit"] = or_null(result.of_limit());
  json["exact_s"] = or_null(result.exact_s);
  json["longest_path_s"] = result.longest_path_s;
  json["published_s"] = published != nullptr ? Json(published->seconds) : Json();
  json["relative_error"] =
      result.exact_s ? or_null(relative_error(*result.exact_s, result.simulated_s)) : Json();
  return json;
}

// Describes a run that was refused or has failed: the problem, and the reason.
Json refusal_json(const CaseRun& run) {
  const Problem& problem = run.problem;
  Json json;
  json["schema"] = "tutti-result/1";
  json["collective"] = name(problem.collective);
  json["algorithm"] = run.algorithm->name;
  if (run.algorithm->program != nullptr) {
    json["file"] = run.algorithm->program->file();
  }
  json["ranks"] = problem.ranks;
  json["bytes"] = problem.bytes;
  json["element_bytes"] = problem.element_bytes;
  json["options"] = options_text(*run.algorithm, problem);
  json["simulated_s"] = nullptr;
  json["refused"] = run.outcome.why_not();
  if (run.outcome.failure() != nullptr) {
    json["failed"] = true;
  }
  return json;
}

Json columns(const RunResult& result) {
  Json json = scalars(result);
  const bool ties = result.ties.runs > 0;
  json["ties_least_s"] = ties ? Json(result.ties.least_s) : Json();
  json["ties_median_s"] = ties ? Json(result.ties.median_s) : Json();
  json["ties_most_s"] = ties ? Json(result.ties.most_s) : Json();
  if (const Repeats& repeats = result.repeats; repeats.runs > 0) {
    json["repeats"] = repeats.runs;
    json["least_s"] = repeats.least_s;
    json["most_s"] = repeats.most_s;
  }
  json["wall_emit_s"] = result.emit_wall_s;
  json["wall_load_s"] = result.load_wall_s;
  json["wall_simulate_s"] = result.simulate_wall_s;
  json["peak_rss_bytes"] = result.peak_rss_bytes;
  if (result.algorithm->program != nullptr) {
    json["file"] = result.algorithm->program->file();
  }
  if (!result.unproved.empty()) {
    json["unproved"] = result.unproved;
  }
  return json;
}

}  // namespace

nlohmann::ordered_json spent_json(const Spent& spent) {
  Json json;
  spent.each([&](Spending on, double seconds) { json[std::string(name(on)) + "_s"] = seconds; });
  return json;
}

nlohmann::ordered_json result_json(const RunResult& result) {
  Json json = scalars(result);
  if (!result.file.empty()) {
    json["file"] = result.file;
  }
  if (!result.unproved.empty()) {
    json["unproved"] = result.unproved;
  }
  if (result.machine.setup.eager_bytes >= 0) {
    json["eager_bytes"] = result.machine.setup.eager_bytes;
  }
  if (!result.machine.spec.parameters.empty()) {
    json["parameters"] = result.machine.spec.parameters;
  }
  if (const HostsSaid* said = result.machine.hosts_said.get()) {
    json["hosts"] = {{"from", said->from},
                     {said->by_rank ? "ranks_given" : "hosts_given", said->given},
                     {"of_ranks", said->names}};
  }
  if (const TieRange& ties = result.ties; ties.runs > 0) {
    json["ties"] = {{"runs", ties.runs},       {"seed", ties.seed},
                    {"least_s", ties.least_s}, {"median_s", ties.median_s},
                    {"most_s", ties.most_s},   {"spread", tie_spread(result)}};
  }
  if (!result.machine.spec.what_ifs.empty()) {
    json["what_if"] = result.machine.spec.what_ifs;
  }
  if (const Repeats& repeats = result.repeats; repeats.runs > 0) {
    json["repeats"] = {{"runs", repeats.runs},
                       {"seed", repeats.seed},
                       {"least_s", repeats.least_s},
                       {"median_s", repeats.median_s},
                       {"most_s", repeats.most_s}};
  }
  json["published"] = published_json(result);
  Json chain;
  chain["ops"] = result.chain_ops;
  chain.update(spent_json(result.chain.spent));
  json["critical_chain"] = std::move(chain);
  json["best_segment"] = Json();
  if (result.symmetry) {
    json["classes"] = result.classes;
  }
  if (const auto& best = result.best_segment) {
    json["best_segment"] = {{"bytes", best->bytes},
                            {"predicted_s", best->predicted_s},
                            {"uncut_s", best->whole_s},
                            {"sizes_tried", best->tried},
                            {"by_closed_form", best->by_closed_form}};
  }
  json["overrides"] = Json::array();
  const PriceOverrides& overrides = result.machine.spec.prices;
  for (const auto& [given, price] : {std::pair{overrides.alpha_s.has_value(), "alpha"},
                                     std::pair{overrides.beta_s_per_byte.has_value(), "beta"},
                                     std::pair{overrides.gamma_s_per_byte.has_value(), "gamma"}}) {
    if (given) {
      json["overrides"].push_back(price);
    }
  }
  json["wall_s"] = {{"emit", result.emit_wall_s},
                    {"load", result.load_wall_s},
                    {"simulate", result.simulate_wall_s}};
  json["peak_rss_bytes"] = result.peak_rss_bytes;
  return json;
}

void write_result_json(const RunResult& result, std::ostream& out) {
  out << json_text(result_json(result), 2) << '\n';
}

void write_results_json(const std::vector<CaseRun>& runs, std::ostream& out) {
  const Json all = json_array(runs, [](const CaseRun& run) {
    const RunResult* const result = run.outcome.result();
    return result != nullptr ? result_json(*result) : refusal_json(run);
  });
  out << json_text(all, 2) << '\n';
}

void write_result_csv(const RunResult& result, std::ostream& out) {
  const Json json = columns(result);
  out << csv_names_line(json) << csv_values_line(json, json);
}

void write_results_csv(const std::vector<CaseRun>& runs, std::ostream& out) {
  Json names;
  bool has_files = false;
  bool has_unproved = false;
  for (const CaseRun& run : runs) {
    has_files = has_files || run.algorithm->program != nullptr;
    if (const RunResult* const result = run.outcome.result()) {
      names = names.empty() ? columns(*result) : names;
      has_unproved = has_unproved || !result->unproved.empty();
    }
  }
  names["refused"] = nullptr;
  if (has_files) {
    names["file"] = nullptr;
  }
  if (has_unproved) {
    names["unproved"] = nullptr;
  }
  out << csv_names_line(names);
  for (const CaseRun& run : runs) {
    const RunResult* const result = run.outcome.result();
    out << csv_values_line(names, result != nullptr ? columns(*result) : refusal_json(run));
  }
}

}  // namespace tutti::inline output
