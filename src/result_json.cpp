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
  json["root"] = has_root(result.problem.collective) ? Json(result.problem.root) : Json();
  json["engine"] = name(result.machine.engine);
  json["engine_asked"] = result.machine.engine_asked;
  json["engines_differ_by"] = result.comparison ? Json(result.comparison->worst) : Json();
  json["platform"] = result.described.facts.name;
  json["hosts_used"] = result.described.facts.hosts_used;
  json["network_model"] = result.machine.engine != EngineKind::critical_path
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
  json["simulated_s"] = result.simulated_s;
  json["exact_s"] = or_null(result.exact_s);
  json["longest_path_s"] = result.longest_path_s;
  json["published_s"] = published != nullptr ? or_null(published->seconds) : Json();
  json["relative_error"] =
      result.exact_s ? or_null(relative_error(result.simulated_s, *result.exact_s)) : Json();
  return json;
}

}  // namespace

void write_result_json(const RunResult& result, std::ostream& out) {
  Json json = scalars(result);
  json["published"] = published_json(result);
  json["lower_bounds"] = {{"latency_s", result.bounds.latency_s},
                          {"bandwidth_s", result.bounds.bandwidth_s},
                          {"reduction_s", result.bounds.reduction_s}};
  json["critical_chain"] = {
      {"ops", result.chain.ops.size()},        {"startup_s", result.chain.startup_s},
      {"transfer_s", result.chain.transfer_s}, {"reduce_s", result.chain.reduce_s},
      {"copy_s", result.chain.copy_s},         {"network_s", result.chain.network_s},
      {"waiting_s", result.chain.waiting_s}};
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
  out << json.dump(2) << '\n';
}

void write_result_csv(const RunResult& result, std::ostream& out) {
  Json json = scalars(result);
  json["wall_emit_s"] = result.emit_wall_s;
  json["wall_load_s"] = result.load_wall_s;
  json["wall_simulate_s"] = result.simulate_wall_s;
  json["peak_rss_bytes"] = result.peak_rss_bytes;
  std::string names;
  std::string values;
  for (const auto& [key, value] : json.items()) {
    const char* const comma = names.empty() ? "" : ",";
    names += comma + key;
    values += comma;
    if (value.is_string()) {
      // Quoted as RFC 4180 has it, since platforms are named by their users.
      std::string text = value.get<std::string>();
      if (text.find_first_of(",\"\r\n") != std::string::npos) {
        for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) {
          text.insert(at, 1, '"');
        }
        text = '"' + text + '"';
      }
      values += text;
    } else if (!value.is_null()) {
      values += value.dump();
    }
  }
  out << names << '\n' << values << '\n';
}

}  // namespace tutti
