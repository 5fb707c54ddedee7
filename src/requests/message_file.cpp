#include "src/requests/message_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "src/formats/json_schema.hpp"
#include "src/requests/fit_fields.hpp"

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
