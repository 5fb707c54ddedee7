#include "src/formats/made_by.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/hash.hpp"
#include "base/provenance.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/output_file.hpp"

namespace tutti { inline namespace formats {

nlohmann::ordered_json made_by_json() {
  const Provenance found = provenance();
  if (found.command.empty()) {
    return nullptr;
  }
  return {{"program", found.made_by},
          {"command", found.command},
          {"inputs", json_array(found.inputs, [](const Provenance::Input& input) {
             return nlohmann::ordered_json{{"path", input.path}, {kHashName, input.hash}};
           })}};
}

std::string made_by_member(std::ostream& out) {
  const nlohmann::ordered_json made_by = is_of_named_file(out) ? made_by_json() : nullptr;
  return made_by.is_null() ? "" : ",\n\"made_by\":" + json_text(made_by);
}

void write_document(nlohmann::ordered_json json, int indent, std::ostream& out) {
  if (json.is_object() && is_of_named_file(out)) {
    if (nlohmann::ordered_json made_by = made_by_json(); !made_by.is_null()) {
      json["made_by"] = std::move(made_by);
    }
  }
  out << json_text(json, indent) << '\n';
}

void write_csv_head(std::ostream& out) {
  const Provenance found = provenance();
  if (!is_of_named_file(out) || found.command.empty()) {
    return;
  }
  out << fmt::format("# made by {}\n# command: {}\n", found.made_by, found.command);
  for (const Provenance::Input& input : found.inputs) {
    out << fmt::format("# input: {}\n", Provenance::in_words(input));
  }
}

}}  // namespace tutti::formats
