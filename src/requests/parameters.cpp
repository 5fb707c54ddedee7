#include "src/requests/parameters.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/shell_word.hpp"
#include "src/formats/json_schema.hpp"
#include "src/formats/json_text.hpp"

namespace tutti { inline namespace requests {

namespace {

struct NamedCurve {
  std::string_view name;
  CostCurve& curve;
};

std::array<NamedCurve, 7> named(CostCurves& curves) {
  return {{{"within_node.one_way", curves.within_node.one_way},
           {"within_node.exchange", curves.within_node.exchange},
           {"between_nodes.one_way", curves.between_nodes.one_way},
           {"between_nodes.exchange", curves.between_nodes.exchange},
           {"reduce", curves.reduce},
           {"reduce_sent", curves.reduce_sent},
           {"copy", curves.copy}}};
}

// Reads a price. Throws UserError if it is null, which the schema allows for a price that could not
// be measured.
double price(const nlohmann::json& json, const char* key) {
  if (json.at(key).is_null()) {
    throw UserError(
        fmt::format("{} is null: the machine was too busy to measure it; calibrate again on a "
                    "quieter machine or with a longer $budget",
                    key));
  }
  return json.at(key).get<double>();
}

// Reads a curve and checks that its values ascend, which the schema cannot express.
CostCurve curve_from(const nlohmann::json& json, const std::string& name) {
  CostCurve curve;
  const auto refuse_order = [&name](const char* list, std::size_t i, const char* what,
                                    const auto& value, const auto& before) {
    throw UserError(fmt::format("/curves/{}/{}/{}/{} is {}, after {}; the values must increase",
                                name, list, i, what, value, before));
  };
  for (const nlohmann::json& each : json.at("pieces")) {
    const CostPiece piece{each.at("from_bytes").get<std::uint64_t>(),
                          each.at("fixed_s").get<double>(), each.at("s_per_byte").get<double>()};
    if (!curve.pieces.empty() && piece.from_bytes <= curve.pieces.back().from_bytes) {
      refuse_order("pieces", curve.pieces.size(), "from_bytes", piece.from_bytes,
                   curve.pieces.back().from_bytes);
    }
    curve.pieces.push_back(piece);
  }
  for (const nlohmann::json& each : json.at("memory")) {
    const MemoryPoint point{each.at("working_set_bytes").get<double>(),
                            each.at("s_per_byte").get<double>()};
    const double before = curve.memory.empty() ? 0 : curve.memory.back().working_set_bytes;
    if (point.working_set_bytes <= before) {
      refuse_order("memory", curve.memory.size(), "working_set_bytes", point.working_set_bytes,
                   before);
    }
    curve.memory.push_back(point);
  }
  return curve;
}

Prices prices_from(const nlohmann::json& line, const nlohmann::json& json) {
  Prices prices;
  prices.alpha_s = price(line, "alpha_s");
  prices.beta_s_per_byte = price(line, "beta_s_per_byte");
  prices.gamma_s_per_byte = price(json, "gamma_s_per_byte");
  prices.copy_s_per_byte = price(json, "copy_s_per_byte");
  return prices;
}

Parameters parameters_from(const nlohmann::json& json) {
  if (!json.is_object() || !json.contains("schema") || !json.at("schema").is_string() ||
      json.at("schema").get<std::string>() != kParametersDocument.schema) {
    throw UserError(
        fmt::format("its schema is neither {} nor tutti-messages/1; 'tutti-mpi calibrate --json' "
                    "and 'tutti fit' write files with these schemas",
                    kParametersDocument.schema));
  }
  check_against_schema(json, "tutti-parameters-1");
  Parameters parameters;
  json.at("library").get_to(parameters.library);
  json.at("placement").get_to(parameters.placement);
  json.at("type").get_to(parameters.type);
  json.at("op").get_to(parameters.op);
  parameters.within = prices_from(json.at("within_node"), json);
  if (!json.at("between_nodes").is_null()) {
    parameters.between = prices_from(json.at("between_nodes"), json);
  }
  if (!json.at("eager_bytes").is_null()) {
    parameters.eager_bytes = json.at("eager_bytes").get<std::uint64_t>();
  }
  for (const NamedCurve& each : named(parameters.curves)) {
    const std::string name(each.name);
    each.curve = curve_from(json.at("curves").at(name), name);
  }
  json.at("start_s").get_to(parameters.curves.start_s);
  json.at("by_core").at("within_node").get_to(parameters.curves.within_node.by_core);
  json.at("by_core").at("between_nodes").get_to(parameters.curves.between_nodes.by_core);
  if (parameters.curves.within_node.one_way.empty()) {
    throw UserError("/curves/within_node.one_way/pieces has no piece");
  }
  for (const nlohmann::json& point : json.at("points")) {
    parameters.points.push_back(
        {point.at("what").get<std::string>(), point.at("bytes").get<std::uint64_t>(),
         point.at("working_set_bytes").get<double>(), point.at("seconds").get<double>(),
         point.at("spread").get<double>()});
  }
  if (!json.value("good", true)) {
    parameters.doubts = json.at("doubts").get<std::vector<std::string>>();
  }
  return parameters;
}

namespace parameter_fields {

constexpr FieldLimits kPrice = between(1e-24, 1e9) | or_zero;

// A figure that could not be measured becomes null, because JSON has no NaN.
std::optional<double> found(double value) { return value_if(std::isfinite(value), value); }
template <double Prices::*kPriceMember>
std::optional<double> found_price(const Prices& prices) {
  return found(prices.*kPriceMember);
}

constexpr auto kLine = fields<Prices>(
    "One start-up time and one time per byte for messages of all sizes. The line is fitted to "
    "relative distances. A price is null if it could not be measured. A good fit has no null.",
    {
        {"alpha_s", from<found_price<&Prices::alpha_s>>, kPrice},
        {"beta_s_per_byte", from<found_price<&Prices::beta_s_per_byte>>, kPrice},
    });

constexpr auto kPiece = fields<CostPiece>({
    {"from_bytes", member<&CostPiece::from_bytes>, at_most(kMaxMessageBytes)},
    {"fixed_s", member<&CostPiece::fixed_s>, kPrice},
    {"s_per_byte", member<&CostPiece::s_per_byte>, kPrice},
});
constexpr auto kMemory = fields<MemoryPoint>({
    {"working_set_bytes", member<&MemoryPoint::working_set_bytes>, above(0) | at_most(1e18)},
    {"s_per_byte", member<&MemoryPoint::s_per_byte>, kPrice},
});
constexpr auto kCurve = fields<CostCurve>(
    "Cost of an operation as a function of its bytes.",
    {
        {"pieces", kPiece, member<&CostCurve::pieces>,
         "Pieces in ascending order of from_bytes. A piece applies up to the start of the next "
         "one. The cost is fixed_s + bytes * s_per_byte."},
        {"memory", kMemory, member<&CostCurve::memory>,
         "Lower bound of the cost of a byte, by the total size of a rank's input, work and "
         "scratch; ascending. Between two entries, the bound is linear in the logarithm of this "
         "size."},
    });
constexpr auto kCurves = fields<CostCurves>({
    {"within_node.one_way", kCurve,
     [](const CostCurves& of) -> const auto& { return of.within_node.one_way; }},
    {"within_node.exchange", kCurve,
     [](const CostCurves& of) -> const auto& { return of.within_node.exchange; }},
    {"between_nodes.one_way", kCurve,
     [](const CostCurves& of) -> const auto& { return of.between_nodes.one_way; }},
    {"between_nodes.exchange", kCurve,
     [](const CostCurves& of) -> const auto& { return of.between_nodes.exchange; }},
    {"reduce", kCurve, member<&CostCurves::reduce>},
    {"reduce_sent", kCurve, member<&CostCurves::reduce_sent>},
    {"copy", kCurve, member<&CostCurves::copy>},
    {kOtherNames, kCurve, FieldLimits(), "Curves of other versions of tutti."},
});
constexpr auto kByCore = fields<CostCurves>({
    {"within_node", [](const CostCurves& of) { return of.within_node.by_core; }},
    {"between_nodes", [](const CostCurves& of) { return of.between_nodes.by_core; }},
});

struct FittedPoint {
  const MeasuredPoint& point;
  double fitted_s;  // not finite if it is unknown
};
std::vector<FittedPoint> points_of(const Parameters& parameters) {
  std::vector<FittedPoint> points;
  for (const MeasuredPoint& point : parameters.points) {
    const CostCurve& curve = curve_of(parameters.curves, point.what);
    points.push_back(
        {point, curve.empty()
                    ? std::numeric_limits<double>::quiet_NaN()
                    : curve.at(point.bytes, point.working_set_bytes).seconds(point.bytes)});
  }
  return points;
}
constexpr auto kPoint = fields<FittedPoint>({
    {"what", [](const FittedPoint& of) -> const auto& { return of.point.what; },
     "Name of the curve to which the point belongs."},
    {"bytes", [](const FittedPoint& of) { return of.point.bytes; }, between(1, kMaxMessageBytes)},
    {"working_set_bytes", [](const FittedPoint& of) { return of.point.working_set_bytes; },
     "Total size of the data that a rank touches. 0: the data fit into the nearest caches."},
    {"seconds", [](const FittedPoint& of) { return of.point.seconds; }, above(0),
     "Time of one operation, from the fastest rounds. The time of a round is the median of its "
     "undisturbed runs, or that of the fastest run if too few runs were undisturbed."},
    {"fitted_s", [](const FittedPoint& of) { return found(of.fitted_s); }, kPrice},
    {"residual", [](const FittedPoint& of) { return found(of.fitted_s / of.point.seconds - 1); },
     any_sign, "fitted_s / seconds - 1. null if fitted_s is null."},
    {"spread", [](const FittedPoint& of) { return of.point.spread; },
     "Largest difference between the times of the fastest rounds, as a share of `seconds`."},
});

constexpr auto kEffort = fields<CalibrationEffort>({
    {"seconds", member<&CalibrationEffort::seconds>},
    {"rounds", member<&CalibrationEffort::rounds>, at_most(kMostExactInteger),
     "Number of rounds, over all measurements."},
    {"runs", member<&CalibrationEffort::runs>, at_most(kMostExactInteger),
     "Number of runs of schedules, without warm-up runs."},
    {"disturbed", member<&CalibrationEffort::disturbed>, at_most(kMostExactInteger),
     "Number of runs in which a rank was late at the common start or lost its core."},
    {"settled", member<&CalibrationEffort::settled>, at_most(1),
     "Share of the times whose three fastest rounds agree within 10 %."},
});

constexpr std::array<std::string_view, 4> kTypes{"int32", "int64", "float", "double"};
constexpr std::array<std::string_view, 8> kOps{"sum",  "prod", "max",  "min",
                                               "band", "bor",  "bxor", "matrix"};

constexpr auto kParameters = fields<Parameters>({
    {"library", member<&Parameters::library>, "Name and version of the MPI library."},
    {"placement", member<&Parameters::placement>, "Placement of the measured ranks."},
    {"type", member<&Parameters::type>, one_of(kTypes), "Type of the reduced elements."},
    {"op", member<&Parameters::op>, one_of(kOps)},
    {"good", [](const Parameters& of) { return of.doubts.empty(); }, added_later,
     "True if the figures are reliable. Absent in files of older versions."},
    {"doubts", member<&Parameters::doubts>, added_later,
     "Reasons why the fit is not good. Empty if it is good."},
    {"within_node", kLine, member<&Parameters::within>},
    {"between_nodes", kLine, member<&Parameters::between>},
    {"gamma_s_per_byte", [](const Parameters& of) { return found(of.within.gamma_s_per_byte); },
     kPrice},
    {"copy_s_per_byte", [](const Parameters& of) { return found(of.within.copy_s_per_byte); },
     kPrice},
    {"eager_bytes", member<&Parameters::eager_bytes>, at_most(kMaxMessageBytes),
     "Size of the largest message that its sender can finish before the receiver is ready. null if "
     "not even the smallest message can be finished."},
    {"start_s", [](const Parameters& of) { return of.curves.start_s; }, kPrice,
     "Time between the moment when all ranks are ready and the start of the first operation."},
    {"by_core", kByCore, member<&Parameters::curves>,
     "True if the receiver's core moves the data of messages. The core cannot reduce or copy "
     "meanwhile."},
    {"curves", kCurves, member<&Parameters::curves>},
    {"points", kPoint, from<points_of>},
    {"bounds", kBoundsFields, [](const Parameters& of) { return by_name(of.bounds); }, added_later,
     "95 % confidence interval of each figure that was found, by the figure's name. The intervals "
     "come from a bootstrap over rounds and sizes."},
    {"effort", kEffort, member<&Parameters::effort>, added_later,
     "Effort of the measurement. Absent in files of older versions."},
});

}  // namespace parameter_fields

}  // namespace

extern const DocumentOf<Parameters> kParametersDocument{
    {.schema = "tutti-parameters/1",
     .title =
         "costs of messages, reductions and copies that were measured on a machine, as written "
         "by tutti-mpi calibrate --json and read by --parameters",
     .fields = parameter_fields::kParameters.view(),
     .has_made_by = false}};

Parameters parse_parameters(std::string_view text) {
  const nlohmann::json json = parse_json(text);
  if (!is_message_file(json)) {
    return parameters_from(json);
  }
  return parameters_of(message_file_from(json));
}

Parameters parameters_of(const MessageFile& file) {
  Parameters parameters;
  parameters.library = file.library;
  parameters.messages = file.model;
  parameters.job_kinds = file.job_kinds;
  parameters.barrier = file.barrier;
  if (file.fit) {
    parameters.uncertainty = file.fit->uncertainty;
  }
  return parameters;
}

void Parameters::put_into(MachineFiles& files) const {
  if (messages) {
    files.library = mpi_library_named(library);
    files.messages = std::make_shared<const MessageModel>(*messages);
    files.job_kinds = job_kinds;
    files.barrier = barrier;
    if (uncertainty) {
      files.uncertainty = std::make_shared<const ModelUncertainty>(*uncertainty);
    }
  } else {
    files.curves = std::make_shared<const CostCurves>(curves);
  }
}

Parameters read_parameters(const std::string& path) {
  try {
    return read_json_file("$parameters ", path, kParametersFile, parse_parameters);
  } catch (const UserError&) {
    if (content_of_file(path) == FileContent::platform) {
      throw UserError(fmt::format("$parameters '{0}': {1}; write $platform {2}", path,
                                  in_words(FileContent::platform), shell_path(path)));
    }
    throw;
  }
}

void write_parameters(const Parameters& parameters, std::ostream& out) {
  out << json_text(document_json(kParametersDocument, parameters), 2) << '\n';
}

const CostCurve& curve_of(const CostCurves& curves, const std::string& what) {
  // named() takes a non-const reference, but does not modify the curves.
  for (const NamedCurve& each : named(const_cast<CostCurves&>(curves))) {  // NOLINT
    if (each.name == what) {
      return each.curve;
    }
  }
  throw InvariantError("no curve of the name " + what);
}

}}  // namespace tutti::requests
