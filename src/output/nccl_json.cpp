#include <nlohmann/json.hpp>

#include "src/output/nccl_text.hpp"
#include "src/rule_files/decision_json.hpp"

namespace tutti::inline output {

namespace {

using Json = nlohmann::ordered_json;

Json graph_json(const NcclGraph& graph) {
  return {{"channels", graph.channels},
          {"intra_gb_per_s", graph.intra_gb_per_s},
          {"inter_gb_per_s", graph.inter_gb_per_s},
          {"inter_latency_us", graph.inter_latency_us},
          {"intra_path", name(graph.intra)},
          {"inter_path", name(graph.inter)},
          {"pattern", graph.pattern},
          {"same_channels", graph.same_channels}};
}

Json way_json(const NcclWay& way) {
  Json json{{"algorithm", name(way.algorithm)}, {"protocol", name(way.protocol)}};
  const bool runs = way.time_us.has_value();
  json["latency_us"] = runs ? Json(way.cost.latency_us) : Json();
  json["gb_per_s"] = runs ? Json(way.cost.gb_per_s) : Json();
  json["time_us"] = runs ? Json(*way.time_us) : Json();
  json["why_not"] = runs ? Json() : Json(way.why_not);
  const bool has_one = !way.schedule.choice.algorithm.empty();
  json["schedule"] = has_one ? choice_json(way.schedule.choice) : Json();
  const std::string& lacking = has_one ? way.refusal : way.schedule.lacking;
  json["lacking"] = lacking.empty() ? Json() : Json(lacking);
  json["simulated_s"] = way.simulated_s ? Json(*way.simulated_s) : Json();
  return json;
}

Json answer_json(const NcclAnswer& answer) {
  const NcclCluster& cluster = answer.job.cluster;
  Json json{{"collective", name(answer.collective)},
            {"ranks", cluster.ranks},
            {"nodes", cluster.nodes},
            {"gpus_per_node", answer.job.gpus_per_node},
            {"bytes", answer.bytes},
            {"machine", answer.job.machine}};
  json["choice"] = Json();
  if (answer.choice) {
    json["choice"] = {{"algorithm", name(answer.choice->algorithm)},
                      {"protocol", name(answer.choice->protocol)},
                      {"channels", answer.choice->channels},
                      {"threads", answer.choice->threads},
                      {"time_us", answer.choice->time_us}};
  }
  const std::string command = nccl_command(answer);
  json["command"] = command.empty() ? Json() : Json(command);
  json["graphs"] = {{"ring", graph_json(cluster.graphs.ring)},
                    {"tree", graph_json(cluster.graphs.tree)},
                    {"collnet_chain", graph_json(cluster.graphs.collnet_chain)},
                    {"nvls", graph_json(cluster.graphs.nvls)},
                    {"collnet_direct", graph_json(cluster.graphs.collnet_direct)}};
  json["ways"] = Json::array();
  for (const NcclWay& way : answer.ways) {
    json["ways"].push_back(way_json(way));
  }
  return json;
}

}  // namespace

Json nccl_json(const std::vector<NcclAnswer>& answers) {
  Json json;
  json["schema"] = "tutti-nccl/1";
  json["library"] = kNcclModelled;
  json["cells"] = Json::array();
  for (const NcclAnswer& answer : answers) {
    json["cells"].push_back(answer_json(answer));
  }
  return json;
}

}  // namespace tutti::inline output
