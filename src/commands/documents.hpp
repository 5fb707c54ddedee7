// The JSON documents whose schemas and tables come from lists of fields.
#pragma once

#include <span>

#include "src/formats/document.hpp"

namespace tutti { inline namespace commands {

// The documents of tutti lint and tutti help.
[[nodiscard]] const DocumentType& lint_document();
[[nodiscard]] const DocumentType& help_document();

[[nodiscard]] std::span<const DocumentType* const> document_types();

}}  // namespace tutti::commands
