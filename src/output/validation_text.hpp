// Simulated times beside measured ones, as text and as JSON.
#pragma once

#include <iosfwd>

#include "src/experiments/points/validation.hpp"
#include "src/formats/document.hpp"

namespace tutti { inline namespace output {

void print_validation(const Validation& validation, std::ostream& out);
extern const DocumentOf<Validation> kValidationDocument;

}}  // namespace tutti::output
