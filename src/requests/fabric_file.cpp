#include "src/requests/fabric_file.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "src/formats/json_schema.hpp"
#include "src/requests/fit_fields.hpp"

namespace tutti { inline namespace requests {

namespace {

std::vector<std::pair<std::string_view, double>> fabric_values(const FabricFile& file) {
  std::vector<std::pair<std::string_view, double>> values;
  for (const NcclFabricParameter& each : nccl_fabric_parameters()) {
    if (const double value = file.model.*each.value; std::isfinite(value)) {
      values.emplace_back(each.name, value);
    }
  }
  return values;
}

constexpr auto kFabric = fields<FabricFile>({
    {"machine", member<&FabricFile::machine>, "Description of the machine."},
    {"library", member<&FabricFile::library>, "Name and version of the library."},
    {"nodes", member<&FabricFile::nodes>, items_up_to(1000),
     "Numbers of nodes on which times were measured."},
    {"parameters", from<fabric_values>, at_most(1e18),
     "Values by name, in seconds, bytes, bytes per second or nodes; some are ratios. What needs a "
     "parameter that is absent has the time of NCCL's own model."},
    {"sources",
     [](const FabricFile& file) { return file.sources.empty() ? nullptr : &file.sources; }, absent,
     "Source of each parameter's value, by name."},
    {"fit", fit_fields::kFit<FabricUncertainty>, member<&FabricFile::fit>, absent,
     "Results of tutti fit. Absent if the parameters were not fitted."},
});

FabricFile fabric_file_from(const nlohmann::json& json) {
  check_against_schema(json, "tutti-fabric-1");
  FabricFile file;
  json.at("machine").get_to(file.machine);
  json.at("library").get_to(file.library);
  json.at("nodes").get_to(file.nodes);
  const auto all = nccl_fabric_parameters();
  set_values(all, json.at("parameters"), file.model);
  if (json.contains("sources")) {
    file.sources = sources_from(all, json.at("sources"));
  }
  if (json.contains("fit")) {
    file.fit = fit_from<FabricUncertainty>(all, json.at("fit"));
  }
  return file;
}

}  // namespace

extern const DocumentOf<FabricFile> kFabricDocument{
    {"tutti-fabric/1",
     "how NCCL's protocols use the network of a machine, as written by tutti fit --gpu and read by "
     "--parameters of tutti nccl",
     kFabric.view()}};

bool is_fabric_file(const std::string& path) {
  try {
    const nlohmann::json json = parse_json(read_file(path, kParametersFile));
    return json.is_object() && json.contains("schema") &&
           json.at("schema") == kFabricDocument.schema;
  } catch (const UserError&) {
    return false;  // whoever reads it says what is wrong
  }
}

FabricFile read_fabric_file(const std::string& path) {
  return read_json_file("$parameters ", path, kParametersFile,
                        [](const std::string& text) { return fabric_file_from(parse_json(text)); });
}

void write_fabric_file(const FabricFile& file, std::ostream& out) {
  write_document(kFabricDocument, file, 2, out);
}

TimeRange fabric_range(const FabricFile& file, double level, double seconds,
                       const std::vector<double>& changes) {
  if (!file.fit || !file.fit->uncertainty) {
    throw UserError(
        "$sure: the file of $parameters does not state its uncertainty; 'tutti fit' writes it");
  }
  const FabricUncertainty& uncertainty = *file.fit->uncertainty;
  const std::size_t size = uncertainty.parameters.size();
  const std::vector<double> root = root_of(uncertainty.covariance, size);
  UncertainTime time;
  time.seconds = seconds;
  time.changes.resize(size);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      time.changes[j] += changes[i] * root[i * size + j];
    }
  }
  return time_range(time, uncertainty.spread(), level);
}

}}  // namespace tutti::requests
