#include "src/pictures/document.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "src/formats/json_schema.hpp"

namespace tutti { inline namespace pictures {

namespace {

struct KnownKind {
  std::string_view name;
  std::string_view says;    // value of the document's member "schema"
  std::string_view schema;  // name of the schema's file
};

constexpr std::array<KnownKind, 13> kKinds{{
    {"run", "tutti-recording/1", "tutti-recording-1"},
    {"comparison", "tutti-result/1", "tutti-result-1"},
    {"decision", "tutti-decide/2", "tutti-decide-2"},
    {"validation", "tutti-validation/1", "tutti-validation-1"},
    {"query", "tutti-query/1", "tutti-query-1"},
    {"explanation", "tutti-explanation/1", "tutti-explanation-1"},
    {"contrast", "tutti-contrast/1", "tutti-contrast-1"},
    {"schedule", "tutti-schedule/1", "tutti-schedule-1"},
    {"bound", "tutti-bound/1", "tutti-bound-1"},
    {"decision", "tutti-site/1", "tutti-site-1"},
    {"nccl", "tutti-nccl/1", "tutti-nccl-1"},
    {"doctor", "tutti-doctor/1", "tutti-doctor-1"},
    {"step", "tutti-step/1", "tutti-step-1"},
}};

constexpr const char* kWhatDoes =
    "expected the output of simulate --record, compare --json, decide --json, validate --json, "
    "query --json, explain --json, bound --json, nccl --json, doctor --json, step --json or show "
    "--format json";

std::string_view schema_of(const nlohmann::json& json) {
  const nlohmann::json* const one = json.is_array() && !json.empty() ? &json.front() : &json;
  if (!one->is_object()) {
    return {};
  }
  const auto schema_text = one->find("schema");
  return schema_text != one->end() && schema_text->is_string()
             ? schema_text->get_ref<const std::string&>()
             : std::string_view();
}

}  // namespace

std::string_view name(DocumentKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }

Document parse_document(std::string_view text, std::string source) {
  nlohmann::json json = parse_json(text);
  if (schema_of(json) == "tutti-comparison/1") {
    check_against_schema(json, "tutti-comparison-1");
    nlohmann::json cells = std::move(json.at("cells"));
    json = std::move(cells);
  }
  const std::string_view schema_text = schema_of(json);
  if (schema_text.empty()) {
    throw UserError(fmt::format("JSON without a schema; {}", kWhatDoes));
  }
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].says == schema_text) {
      check_against_schema(json, kKinds[i].schema);
      return {static_cast<DocumentKind>(i), std::move(source), std::move(json)};
    }
  }
  throw UserError(
      fmt::format("has schema '{}', which cannot be drawn; {}", printable(schema_text), kWhatDoes));
}

Document read_document(const std::string& path) {
  constexpr InputKind kKind{"a document", std::uint64_t{1} << 30U, true, {FileContent::json}};
  return read_json_file("", path, kKind,
                        [&](std::string_view text) { return parse_document(text, path); });
}

}}  // namespace tutti::pictures
