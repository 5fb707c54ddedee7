// What tutti has written as JSON, read again: the input of pictures and pages.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace tutti::inline pictures {

enum class DocumentKind : std::uint8_t {
  run,          // tutti-recording/1
  comparison,   // tutti-result/1, one or a list of them
  decision,     // tutti-decide/2
  validation,   // tutti-validation/1
  query,        // tutti-query/1
  explanation,  // tutti-explanation/1
  contrast,     // tutti-contrast/1
  schedule,     // tutti-schedule/1
};

// "run", "comparison", ...
[[nodiscard]] std::string_view name(DocumentKind kind);

struct Document {
  DocumentKind kind = DocumentKind::run;
  std::string source;  // for people: the command, or the file
  nlohmann::json json;
};

// Held against its schema. Throws UserError that names what is wrong: no JSON, cut short, of
// another program, a part that is not as the schema says.
[[nodiscard]] Document parse_document(std::string_view text, std::string source);
[[nodiscard]] Document read_document(const std::string& path);

}  // namespace tutti::inline pictures
