#include "src/requests/fabric_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "src/formats/json_schema.hpp"
#include "src/requests/common_options.hpp"
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

constexpr auto kWay = fields<MeasuredWay>({
    {"collective", [](const MeasuredWay& of) { return name(of.collective); }},
    {"algorithm", [](const MeasuredWay& of) { return name(of.algorithm); }},
    {"protocol", [](const MeasuredWay& of) { return name(of.protocol); }},
    {"from_bytes", member<&MeasuredWay::from_bytes>, at_most(kMaxMessageBytes)},
    {"to_bytes", member<&MeasuredWay::to_bytes>, at_most(kMaxMessageBytes)},
});

constexpr auto kFabric = fields<FabricFile>({
    {"machine", member<&FabricFile::machine>, "Description of the machine."},
    {"gpu", member<&FabricFile::gpu>, "GPU by the name of --gpu."},
    {"gpus_per_node", member<&FabricFile::gpus_per_node>, at_most(kMostExactInteger),
     "Number of GPUs of a node. 0 if it is unknown, or differs."},
    {"library", member<&FabricFile::library>, "Name and version of the library."},
    {"nodes", member<&FabricFile::nodes>,
     between(1, double{std::numeric_limits<std::uint32_t>::max()}) | items_up_to(1000),
     "Numbers of nodes on which times were measured."},
    {"measured", kWay, member<&FabricFile::measured>, items_up_to(100),
     "The sizes for which each algorithm and protocol was measured. Predictions for others are "
     "marked."},
    {"parameters", from<fabric_values>, at_most(1e18),
     "Values by name, in seconds, bytes, bytes per second or nodes; some are ratios. What needs a "
     "parameter that is absent has the time of NCCL's own model."},
    {"sources",
     [](const FabricFile& file) { return file.sources.empty() ? nullptr : &file.sources; }, absent,
     "Source of each parameter's value, by name."},
    {"fit", fit_fields::kFit<FabricUncertainty>, member<&FabricFile::fit>, absent,
     "Results of tutti fit. Absent if the parameters were not fitted."},
});

// Returns the value of an enum whose name is the member `key`. Throws UserError for an unknown
// name.
template <typename Enum>
Enum named_value(const nlohmann::json& json, const char* key, std::size_t count) {
  const auto text = json.at(key).get<std::string>();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.emplace_back(name(static_cast<Enum>(i)));
    if (names.back() == text) {
      return static_cast<Enum>(i);
    }
  }
  throw UserError(
      fmt::format("/measured/{} '{}': {}", key, printable(text), accepted_words(text, names)));
}

MeasuredWay way_from(const nlohmann::json& json) {
  MeasuredWay way;
  const auto text = json.at("collective").get<std::string>();
  const auto collective = collective_named(text);
  if (!collective) {
    throw UserError(
        fmt::format("/measured/collective '{}': {}", printable(text), collective_help()));
  }
  way.collective = *collective;
  way.algorithm = named_value<NcclAlgorithm>(json, "algorithm", kNcclAlgorithms);
  way.protocol = named_value<NcclProtocol>(json, "protocol", kNcclProtocols);
  json.at("from_bytes").get_to(way.from_bytes);
  json.at("to_bytes").get_to(way.to_bytes);
  return way;
}

// Throws UserError if a parameter with an uncertainty has no value.
void check_values(const FabricFile& file) {
  for (const NcclFabricParameter* const each : file.fit->uncertainty->parameters) {
    if (!std::isfinite(file.model.*each->value)) {
      throw UserError(fmt::format(
          "/fit/uncertainty/parameters has '{}', which has no value in /parameters", each->name));
    }
  }
}

bool has_schema(const nlohmann::json& json) {
  return json.is_object() && json.contains("schema") && json.at("schema") == kFabricDocument.schema;
}

FabricFile fabric_file_from(const nlohmann::json& json) {
  if (!has_schema(json)) {
    throw UserError(fmt::format("its schema is not {}; 'tutti fit' with $gpu writes such files",
                                kFabricDocument.schema));
  }
  check_against_schema(json, "tutti-fabric-1");
  FabricFile file;
  json.at("machine").get_to(file.machine);
  json.at("library").get_to(file.library);
  json.at("gpu").get_to(file.gpu);
  json.at("gpus_per_node").get_to(file.gpus_per_node);
  json.at("nodes").get_to(file.nodes);
  for (const nlohmann::json& each : json.at("measured")) {
    file.measured.push_back(way_from(each));
  }
  const auto all = nccl_fabric_parameters();
  set_values(all, json.at("parameters"), file.model);
  if (json.contains("sources")) {
    file.sources = sources_from(all, json.at("sources"));
  }
  if (json.contains("fit")) {
    file.fit = fit_from<FabricUncertainty>(all, json.at("fit"));
    if (file.fit->uncertainty) {
      check_values(file);
    }
  }
  return file;
}

}  // namespace

bool FabricFile::was_measured(Collective collective, NcclAlgorithm algorithm, NcclProtocol protocol,
                              std::uint64_t bytes) const {
  constexpr std::uint64_t kNear = 4;
  return measured.empty() || std::ranges::any_of(measured, [&](const MeasuredWay& way) {
           return way.collective == collective && way.algorithm == algorithm &&
                  way.protocol == protocol && bytes >= way.from_bytes / kNear &&
                  bytes / kNear <= way.to_bytes;
         });
}

extern const DocumentOf<FabricFile> kFabricDocument{
    {"tutti-fabric/1",
     "how NCCL's protocols use the network of a machine, as written by tutti fit --gpu and read by "
     "--parameters of tutti nccl",
     kFabric.view()}};

bool is_fabric_file(const std::string& path) {
  return read_json_file("$parameters ", path, kParametersFile,
                        [](const std::string& text) { return has_schema(parse_json(text)); });
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
