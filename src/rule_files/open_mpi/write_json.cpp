#include <nlohmann/json.hpp>

#include "src/formats/json_text.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/open_mpi/files.hpp"
#include "src/rule_files/rule_size.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using Json = nlohmann::ordered_json;

Json comms_of(const RulesToWrite& rules) {
  const std::vector<RankStep> steps = steps_in_form(rules, RuleFormat::ompi6);
  Json comms = Json::array();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Json comm = Json::object();
    comm["comm_size_min"] = i == 0 ? 0 : steps[i].from_ranks;
    if (i + 1 < steps.size()) {
      comm["comm_size_max"] = steps[i + 1].from_ranks - 1;
    }
    comm["comm_rank_distribution"] = "any";
    comm["rules"] = Json::array();
    const std::vector<SizeStep>& sizes = steps[i].sizes;
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      Json rule = Json::object();
      rule["msg_size_min"] = sizes[j].from_bytes;
      rule["msg_size_max"] = j + 1 < sizes.size() ? Json(sizes[j + 1].from_bytes - 1) : Json("inf");
      const LibraryAlgorithm& algorithm =
          library_algorithm_for(RuleFormat::ompi6, rules.collective, sizes[j].choice);
      rule["alg"] = algorithm.name;
      const RuleParameters parameters = parameters_of(algorithm, sizes[j].choice);
      rule["faninout"] = parameters.fan;
      rule["seg_size"] = sizes[j].choice.segment_bytes;
      if (parameters.requests > 0) {
        rule["reqs"] = parameters.requests;
      }
      comm["rules"].push_back(std::move(rule));
    }
    comms.push_back(std::move(comm));
  }
  return comms;
}

}  // namespace

void write_ompi_json(std::span<const RulesToWrite> all, std::ostream& out) {
  Json collectives = Json::object();
  for (const RulesToWrite& rules : all) {
    collectives[std::string(name(rules.collective))] = comms_of(rules);
  }
  const Json file{
      {"rule_file_version", 3}, {"module", "tuned"}, {"collectives", std::move(collectives)}};
  out << json_text(file, 2) << '\n';
}

}}  // namespace tutti::rule_files
