// JSON documents written by tutti, which are the input of pictures and pages.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace tutti { inline namespace pictures {

enum class DocumentKind : std::uint8_t {
  run,          // tutti-recording/1
  comparison,   // tutti-result/1, one or a list of them: the cells of tutti-comparison/1
  decision,     // tutti-decide/2
  validation,   // tutti-validation/1
  query,        // tutti-query/1
  explanation,  // tutti-explanation/1
  contrast,     // tutti-contrast/1
  schedule,     // tutti-schedule/1
  bound,        // tutti-bound/1
  site,         // tutti-site/1; a page shows it as a decision
  nccl,         // tutti-nccl/1
  doctor,       // tutti-doctor/1
  step,         // tutti-step/1
};

// The name of a kind: "run", "comparison", ...
[[nodiscard]] std::string_view name(DocumentKind kind);

struct Document {
  DocumentKind kind = DocumentKind::run;
  std::string source;  // the command or file that the document comes from, for readers
  nlohmann::json json;
};

// Parses a document, and checks it against its schema. Throws UserError that says what is wrong:
// the text is not JSON, is truncated, was written by another program, or violates the schema.
[[nodiscard]] Document parse_document(std::string_view text, std::string source);
[[nodiscard]] Document read_document(const std::string& path);

}}  // namespace tutti::pictures
