// The result of a run for programs: schemas/tutti-result-1.schema.json says what is in it.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/run_result.hpp"

namespace tutti {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(std::optional<double> value) { return value ? Json(*value) : Json(); }

Json published_json(const RunResult& result) {
  Json list = Json::array();
  for (const PublishedCost& cost : result.published) {
    list.push_back({{"formula", cost.formula},
                    {"citation", cost.citation},
                    {"seconds", or_null(cost.seconds)},
                    {"remark", cost.remark},
                    {"misprint", cost.misprint}});
  }
  return list;
}

// The fields that are plain values, in order; a table of results has one column for each.
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
  json["fold"] = result.takes(Option::fold)
                     ? Json(result.problem.fold == Fold::far ? "far" : "neighbours")
                     : Json();
  json["skips"] = result.takes(Option::skips) ? Json(result.problem.skips) : Json();
  json["tree"] = result.takes(Option::tree) ? Json(result.problem.tree) : Json();
  // Segments are the blocks of such schedules.
  json["segment_bytes"] = result.takes(Option::segment) ? Json(result.largest_block_bytes) : Json();
  json["cores_per_node"] =
      result.takes(Option::ranks_per_node) ? Json(result.problem.ranks_per_node) : Json();
  json["engine"] = name(result.machine.engine);
  json["platform"] = result.described.facts.name;
  json["hosts_used"] = result.described.facts.hosts_used;
  json["network_model"] = result.machine.engine == EngineKind::simgrid
                              ? Json(result.machine.network_model)
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
  json["exact_s"] = or_null(result.exact_s);
  json["longest_path_s"] = result.longest_path_s;
  json["published_s"] = published != nullptr ? or_null(published->seconds) : Json();
  json["relative_error"] =
      result.exact_s ? or_null(relative_error(result.simulated_s, *result.exact_s)) : Json();
  return json;
}

Json with_details(const RunResult& result) {
  Json json = scalars(result);
  if (!result.file.empty()) {
    json["file"] = result.file;
  }
  json["published"] = published_json(result);
  json["lower_bounds"] = {{"latency_s", result.bounds.latency_s},
                          {"bandwidth_s", result.bounds.bandwidth_s},
                          {"reduction_s", result.bounds.reduction_s}};
  json["critical_chain"] = {{"ops", result.chain_ops},
                            {"startup_s", result.chain.startup_s},
                            {"transfer_s", result.chain.transfer_s},
                            {"reduce_s", result.chain.reduce_s},
                            {"copy_s", result.chain.copy_s},
                            {"network_s", result.chain.network_s},
                            {"waiting_s", result.chain.waiting_s}};
  json["best_segment"] = Json();
  if (const auto& best = result.best_segment) {
    json["best_segment"] = {{"bytes", best->bytes},
                            {"predicted_s", best->predicted_s},
                            {"uncut_s", best->whole_s},
                            {"sizes_tried", best->tried},
                            {"by_closed_form", best->by_closed_form}};
  }
  json["overrides"] = Json::array();
  const PriceOverrides& overrides = result.machine.overrides;
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

// What can be said of a run that was refused: what it would have been.
Json refusal_json(const RunOutcome& outcome) {
  const Problem& problem = outcome.problem;
  Json json;
  json["schema"] = "tutti-result/1";
  json["collective"] = name(problem.collective);
  json["algorithm"] = outcome.algorithm->name;
  json["ranks"] = problem.ranks;
  json["bytes"] = problem.bytes;
  json["element_bytes"] = problem.element_bytes;
  json["options"] = options_text(*outcome.algorithm, problem);
  json["refused"] = outcome.refusal;
  return json;
}

Json columns(const RunResult& result) {
  Json json = scalars(result);
  json["wall_emit_s"] = result.emit_wall_s;
  json["wall_load_s"] = result.load_wall_s;
  json["wall_simulate_s"] = result.simulate_wall_s;
  json["peak_rss_bytes"] = result.peak_rss_bytes;
  return json;
}

std::string csv_value(const Json& value) {
  if (!value.is_string()) {
    return value.is_null() ? "" : value.dump();
  }
  // Quoted as RFC 4180 has it, since platforms are named by their users.
  std::string text = value.get<std::string>();
  if (text.find_first_of(",\"\r\n") != std::string::npos) {
    for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) {
      text.insert(at, 1, '"');
    }
    text = fmt::format("\"{}\"", text);
  }
  return text;
}

std::string names_line(const Json& json) {
  std::string line;
  for (const auto& [key, value] : json.items()) {
    line += (line.empty() ? "" : ",") + key;
  }
  return line + '\n';
}

// A value for each name of `names`; empty where `json` has none.
std::string values_line(const Json& names, const Json& json) {
  std::string line;
  for (const auto& [key, value] : names.items()) {
    line += (&value == &*names.begin() ? "" : ",") +
            (json.contains(key) ? csv_value(json.at(key)) : std::string());
  }
  return line + '\n';
}

}  // namespace

void write_result_json(const RunResult& result, std::ostream& out) {
  out << with_details(result).dump(2) << '\n';
}

void write_results_json(const std::vector<RunOutcome>& outcomes, std::ostream& out) {
  Json all = Json::array();
  for (const RunOutcome& outcome : outcomes) {
    all.push_back(outcome.result ? with_details(*outcome.result) : refusal_json(outcome));
  }
  out << all.dump(2) << '\n';
}

void write_result_csv(const RunResult& result, std::ostream& out) {
  const Json json = columns(result);
  out << names_line(json) << values_line(json, json);
}

void write_results_csv(const std::vector<RunOutcome>& outcomes, std::ostream& out) {
  Json names;
  for (const RunOutcome& outcome : outcomes) {
    if (names.empty() && outcome.result) {
      names = columns(*outcome.result);
    }
  }
  names["refused"] = nullptr;
  out << names_line(names);
  for (const RunOutcome& outcome : outcomes) {
    out << values_line(names, outcome.result ? columns(*outcome.result) : refusal_json(outcome));
  }
}

}  // namespace tutti
