#include "src/requests/message_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "src/formats/json_schema.hpp"
#include "src/requests/fit_fields.hpp"
#include "src/simulation/message_setup.hpp"

namespace tutti { inline namespace requests {

namespace {

// Values that differ from the defaults.
std::vector<std::pair<std::string_view, double>> values_of(const MessageFile& file) {
  const MessageModel without;
  std::vector<std::pair<std::string_view, double>> values;
  for (const MessageParameter& each : message_parameters()) {
    if (file.model.*each.value != without.*each.value) {
      values.emplace_back(each.name, file.model.*each.value);
    }
  }
  return values;
}

std::vector<std::pair<std::string_view, double>> values_of_kind(const JobKind& kind) {
  std::vector<std::pair<std::string_view, double>> values;
  for (const auto& [parameter, value] : kind.values) {
    values.emplace_back(parameter->name, value);
  }
  return values;
}

// The limits of a kind in the file. One that is absent has its default.
struct KindLimit {
  const char* name;
  double JobKind::*value;
};
struct KindRange {
  KindLimit from;
  KindLimit to;
};
constexpr std::array kRanges = {
    KindRange{{"nodes_from", &JobKind::nodes_from}, {"nodes_to", &JobKind::nodes_to}},
    KindRange{{"ranks_per_node_from", &JobKind::ranks_per_node_from},
              {"ranks_per_node_to", &JobKind::ranks_per_node_to}}};

template <auto kValue>
std::optional<double> limit_of(const JobKind& kind) {
  return value_if(kind.*kValue != JobKind{}.*kValue, kind.*kValue);
}

constexpr FieldLimits kLimit = between(1, 1e9) | absent;

constexpr auto kKind = fields<JobKind>({
    {"nodes_from", from<limit_of<&JobKind::nodes_from>>, kLimit, "Smallest number of nodes."},
    {"nodes_to", from<limit_of<&JobKind::nodes_to>>, kLimit, "Largest number of nodes."},
    {"ranks_per_node_from", from<limit_of<&JobKind::ranks_per_node_from>>, kLimit,
     "Smallest mean number of ranks on a node."},
    {"ranks_per_node_to", from<limit_of<&JobKind::ranks_per_node_to>>, kLimit,
     "Largest mean number of ranks on a node."},
    {"parameters", from<values_of_kind>, at_most(1e18), "Values by name."},
    {"source", member<&JobKind::source>, absent_if_empty, "Source of the values."},
});

// Returns the kind in `json`, which stands at `at` in the document. Throws UserError for an unknown
// parameter, a value out of range, and limits that no job meets.
JobKind kind_from(const nlohmann::json& json, const std::string& at) {
  JobKind kind;
  for (const KindRange& range : kRanges) {
    for (const auto& [name, value] : {range.from, range.to}) {
      if (json.contains(name)) {
        json.at(name).get_to(kind.*value);
      }
    }
    if (kind.*range.from.value > kind.*range.to.value) {
      throw UserError(fmt::format("/{}/{} is {:g}; it must be at most {}, which is {:g}", at,
                                  range.from.name, kind.*range.from.value, range.to.name,
                                  kind.*range.to.value));
    }
  }
  const nlohmann::json& values = json.at("parameters");
  MessageModel checked;
  set_values(message_parameters(), values, checked, at + "/parameters");
  for (const auto& [name, value] : values.items()) {
    kind.values.emplace_back(find_message_parameter(name), value.get<double>());
  }
  if (json.contains("source")) {
    json.at("source").get_to(kind.source);
  }
  return kind;
}

constexpr auto kMessages = fields<MessageFile>({
    {"machine", member<&MessageFile::machine>, "Description of the machine."},
    {"library", member<&MessageFile::library>, "Name and version of the MPI library."},
    {"parameters", from<values_of>, at_most(1e18),
     "Values by name, in seconds, bytes, seconds per byte or bytes per second; some are ratios or "
     "counts. A parameter that is absent has its default, which has no effect, except that "
     "under_way is 16."},
    {"sources",
     [](const MessageFile& file) { return file.sources.empty() ? nullptr : &file.sources; }, absent,
     "Source of each parameter's value, by name."},
    {"job_kinds", kKind,
     [](const MessageFile& file) { return file.job_kinds.empty() ? nullptr : &file.job_kinds; },
     absent | items_up_to(100),
     "Values that replace those of `parameters` in jobs of some kinds, such as those of one queue, "
     "or with several ranks on a node. A limit that is absent excludes no job. If several kinds "
     "that "
     "include a job set the same parameter, the last one counts."},
    {"barrier", member<&MessageFile::barrier>, absent_if_empty,
     "The barrier before each call, if points do not name one: an algorithm such as "
     "recursive_doubling, or `library` for the library's own choice, which is also the default."},
    {"fit", fit_fields::kFit<ModelUncertainty>, member<&MessageFile::fit>, absent,
     "Results of tutti fit. Absent if the parameters were not fitted."},
});

}  // namespace

FieldView spread_fields() { return fit_fields::kSpread<ModelUncertainty>.view(); }
FieldView bounds_fields() { return fit_fields::kBounds.view(); }

extern const DocumentOf<MessageFile> kMessagesDocument{
    {"tutti-messages/1",
     "how an MPI library sends messages on a machine, as written by tutti fit and read by "
     "--parameters",
     kMessages.view()}};

bool is_message_file(const nlohmann::json& json) {
  return json.is_object() && json.contains("schema") &&
         json.at("schema") == kMessagesDocument.schema;
}

MessageFile message_file_from(const nlohmann::json& json) {
  check_against_schema(json, "tutti-messages-1");
  MessageFile file;
  json.at("machine").get_to(file.machine);
  json.at("library").get_to(file.library);
  set_values(message_parameters(), json.at("parameters"), file.model);
  if (file.model.inline_bytes > file.model.eager_bytes) {
    throw UserError(fmt::format(
        "/parameters/inline_bytes is {:g}; it must be at most eager_bytes, which is {:g}",
        file.model.inline_bytes, file.model.eager_bytes));
  }
  if (json.contains("job_kinds")) {
    for (const nlohmann::json& each : json.at("job_kinds")) {
      file.job_kinds.push_back(kind_from(each, fmt::format("job_kinds/{}", file.job_kinds.size())));
    }
  }
  if (json.contains("barrier")) {
    try {
      file.barrier = barrier_named(json.at("barrier").get<std::string>());
    } catch (const UserError& error) {
      throw UserError(fmt::format("/barrier: {}", error.what()));
    }
  }
  if (json.contains("sources")) {
    file.sources = sources_from(message_parameters(), json.at("sources"));
  }
  if (json.contains("fit")) {
    file.fit = fit_from<ModelUncertainty>(message_parameters(), json.at("fit"));
  }
  return file;
}

std::vector<std::pair<std::string_view, FigureBounds>> by_name(
    const std::vector<FigureBounds>& bounds) {
  std::vector<std::pair<std::string_view, FigureBounds>> named;
  for (const FigureBounds& each : bounds) {
    named.emplace_back(each.name, each);
  }
  return named;
}

MessageFile read_message_file(const std::string& path) {
  return read_json_file("$parameters ", path, kParametersFile, [](const std::string& text) {
    return message_file_from(parse_json(text));
  });
}

void write_message_file(const MessageFile& file, std::ostream& out) {
  write_document(kMessagesDocument, file, 2, out);
}

}}  // namespace tutti::requests
