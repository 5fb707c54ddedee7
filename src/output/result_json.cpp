// JSON and CSV output of results: src/formats/schemas/tutti-result-1.schema.json defines the JSON.
#include "src/output/result_json.hpp"

#include <nlohmann/json.hpp>

#include "base/field_names.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/run_words.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/formats/option_json.hpp"
#include "src/output/result_words.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace output {

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

// Returns the fields that describe the problem. They are known without a run.
Json problem_json(const Algorithm& algorithm, const Problem& problem) {
  Json json;
  json["schema"] = "tutti-result/1";
  json["collective"] = name(problem.collective);
  json["algorithm"] = algorithm.name;
  json["file"] = algorithm.program == nullptr ? Json() : Json(program_of(algorithm, problem));
  json["ranks"] = problem.ranks;
  json["bytes"] = problem.bytes;
  json["element_bytes"] = problem.element_bytes;
  json["options"] = options_text(algorithm, problem);
  json["root"] = has_root(problem.collective) ? Json(problem.root) : Json();
  put_options(json, algorithm, problem, RecordOf::simulation);
  return json;
}

// Returns the fields that have a single value. A table of results has a column for each of these
// fields, in the same order.
Json scalars(const RunResult& result) {
  const Prices& prices = result.described.prices;
  const PublishedCost* published = result.main_published();
  Json json = problem_json(*result.algorithm, result.problem);
  if (!result.file.empty()) {
    json["file"] = result.file;
  }
  if (result.takes(Option::segment) && result.unproved.empty()) {
    json["segment_bytes"] = result.largest_block_bytes;  // in this schedule, a segment is a block
  }
  json["engine"] = result.machine.engine->name;
  json["engine_asked"] = result.machine.spec.engine;
  json["engines_differ_by"] = result.comparison ? Json(result.comparison->worst) : Json();
  json["symmetry"] = result.symmetry ? Json(name(*result.symmetry)) : Json();
  json["classes"] = result.symmetry ? Json(result.classes) : Json();
  json["platform"] = result.described.facts.name;
  json["hosts_used"] = result.described.facts.hosts_used;
  json["network_model"] = result.machine.engine->has_network
                              ? Json(result.machine.spec.network_model)
                              : Json("hockney");
  json["ports"] = result.machine.setup.ports == kUnlimitedPorts ? Json("unlimited")
                                                                : Json(result.machine.setup.ports);
  json["eager_bytes"] =
      result.machine.setup.eager_bytes >= 0 ? Json(result.machine.setup.eager_bytes) : Json();
  json["parameters"] = or_null(result.machine.spec.parameters);
  json["alpha_s"] = prices.alpha_s;
  json["beta_s_per_byte"] = prices.beta_s_per_byte;
  json["gamma_s_per_byte"] = prices.gamma_s_per_byte;
  json["copy_s_per_byte"] = prices.copy_s_per_byte;
  json["unproved"] = or_null(result.why_unproved());
  json["messages"] = result.messages;
  json["bytes_sent"] = result.bytes_sent;
  json["bytes_reduced"] = result.bytes_reduced;
  if (result.problem.collective == Collective::application) {
    json["calculations_s"] = result.calculations_s;
  }
  json["ops"] = result.ops;
  json["dependencies"] = result.dependencies;
  json["rounds"] = result.rounds;
  json["blocks"] = result.blocks;
  json["smallest_block_bytes"] = result.smallest_block_bytes;
  json["largest_block_bytes"] = result.largest_block_bytes;
  json["simulated_s"] = result.simulated_s;
  if (result.range) {
    json["range"] = {{"level", result.range->level},
                     {"low_s", result.range->range.low_s},
                     {"high_s", result.range->range.high_s}};
  }
  json["bound_s"] = or_null(result.bound_s);
  json["of_limit"] = or_null(result.of_limit());
  json["exact_s"] = or_null(result.exact_s);
  json["longest_path_s"] = result.longest_path_s;
  json["published_s"] = published != nullptr ? Json(published->seconds) : Json();
  json["relative_error"] =
      result.exact_s ? or_null(relative_error(*result.exact_s, result.simulated_s)) : Json();
  return json;
}

// Returns the row of a table of results. A run without a result has the same fields, which are null
// except for those of the problem.
Json row(const CaseRun& run, Json (*fields_of)(const RunResult&)) {
  Json json;
  if (const RunResult* const result = run.outcome.result()) {
    json = fields_of(*result);
  } else {
    RunResult none;
    none.algorithm = run.algorithm;
    none.problem = run.problem;
    json = fields_of(none);
    for (Json& value : json) {
      value = nullptr;
    }
    json.update(problem_json(*run.algorithm, run.problem));
  }
  json["refused"] = or_null(with_fields(run.outcome.why_not()));
  json["failed"] = run.outcome.failure() != nullptr;
  return json;
}

Json engine_orders_json(const RunResult& result) {
  if (!result.comparison || result.comparison->orders.runs == 0) {
    return {};
  }
  const EngineOrders& orders = result.comparison->orders;
  return {
      {"runs", orders.runs},
      {"flow_least_s", orders.flow_least_s},
      {"flow_most_s", orders.flow_most_s},
      {"simgrid_least_s", orders.simgrid_least_s},
      {"simgrid_most_s", orders.simgrid_most_s},
      {"explain", orders.overlap() && orders.matter(std::max(result.comparison->tolerance, 1e-9))}};
}

Json columns(const RunResult& result) {
  Json json = scalars(result);
  const bool ties = result.ties.runs > 0;
  json["ties_least_s"] = ties ? Json(result.ties.least_s) : Json();
  json["ties_median_s"] = ties ? Json(result.ties.median_s) : Json();
  json["ties_most_s"] = ties ? Json(result.ties.most_s) : Json();
  const bool repeats = result.repeats.runs > 0;
  json["repeats"] = repeats ? Json(result.repeats.runs) : Json();
  json["least_s"] = repeats ? Json(result.repeats.least_s) : Json();
  json["most_s"] = repeats ? Json(result.repeats.most_s) : Json();
  json["wall_emit_s"] = result.emit_wall_s;
  json["wall_load_s"] = result.load_wall_s;
  json["wall_simulate_s"] = result.simulate_wall_s;
  json["peak_rss_bytes"] = result.peak_rss_bytes;
  return json;
}

}  // namespace

nlohmann::ordered_json spent_json(const Spent& spent) {
  Json json;
  spent.each([&](Spending on, double seconds) { json[std::string(name(on)) + "_s"] = seconds; });
  return json;
}

nlohmann::ordered_json overrides_json(const PriceOverrides& overrides) {
  Json json = Json::array();
  for (const auto& [given, price] : {std::pair{overrides.alpha_s.has_value(), "alpha"},
                                     std::pair{overrides.beta_s_per_byte.has_value(), "beta"},
                                     std::pair{overrides.gamma_s_per_byte.has_value(), "gamma"}}) {
    if (given) {
      json.push_back(price);
    }
  }
  return json;
}

nlohmann::ordered_json result_json(const RunResult& result) {
  Json json = scalars(result);
  json["hosts"] = nullptr;
  if (const HostsSaid* said = result.machine.hosts_said.get()) {
    json["hosts"] = {{"from", said->from},
                     {said->by_rank ? "ranks_given" : "hosts_given", said->given},
                     {"of_ranks", said->names}};
  }
  const TieRange& ties = result.ties;
  json["ties"] =
      ties.runs == 0 ? Json() : Json{{"runs", ties.runs},       {"seed", ties.seed},
                                     {"least_s", ties.least_s}, {"median_s", ties.median_s},
                                     {"most_s", ties.most_s},   {"spread", tie_spread(result)}};
  json["engine_orders"] = engine_orders_json(result);
  const std::vector<std::string>& what_ifs = result.machine.spec.what_ifs;
  json["what_if"] = what_ifs.empty() ? Json() : Json(what_ifs);
  const Repeats& repeats = result.repeats;
  json["repeats"] = repeats.runs == 0 ? Json()
                                      : Json{{"runs", repeats.runs},
                                             {"seed", repeats.seed},
                                             {"least_s", repeats.least_s},
                                             {"median_s", repeats.median_s},
                                             {"most_s", repeats.most_s}};
  json["published"] = published_json(result);
  Json chain;
  chain["ops"] = result.chain_ops;
  chain.update(spent_json(result.chain.spent));
  json["critical_chain"] = std::move(chain);
  json["best_segment"] = Json();
  if (const auto& best = result.best_segment) {
    json["best_segment"] = {{"bytes", best->bytes},
                            {"predicted_s", best->predicted_s},
                            {"uncut_s", best->whole_s},
                            {"sizes_tried", best->tried},
                            {"by_closed_form", best->by_closed_form}};
  }
  json["overrides"] = overrides_json(result.machine.spec.prices);
  json["wall_s"] = {{"emit", result.emit_wall_s},
                    {"load", result.load_wall_s},
                    {"simulate", result.simulate_wall_s},
                    {"analyse", result.other_wall_s}};
  json["peak_rss_bytes"] = result.peak_rss_bytes;
  return json;
}

void write_result_json(const RunResult& result, std::ostream& out) {
  write_document(result_json(result), 2, out);
}

nlohmann::ordered_json result_row_json(const CaseRun& run) { return row(run, result_json); }

void write_result_csv(const RunResult& result, std::ostream& out) {
  write_csv_head(out);
  const Json json = columns(result);
  out << csv_names_line(json) << csv_values_line(json, json);
}

void write_results_csv(const std::vector<CaseRun>& runs, std::ostream& out) {
  write_csv_head(out);
  out << csv_names_line(row(runs.front(), columns));
  for (const CaseRun& run : runs) {
    const Json json = row(run, columns);
    out << csv_values_line(json, json);
  }
}

}}  // namespace tutti::output
