// The JSON documents whose schemas and tables come from lists of fields.
#pragma once

#include <span>

#include "src/formats/document.hpp"

namespace tutti { inline namespace commands {

// The document of tutti lint.
[[nodiscard]] const DocumentType& lint_document();

[[nodiscard]] std::span<const DocumentType* const> document_types();

}}  // namespace tutti::commands
