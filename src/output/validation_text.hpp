// Simulated times beside measured ones, as text and as JSON.
#pragma once

#include <iosfwd>

#include "src/experiments/points/validation.hpp"

namespace tutti { inline namespace output {

void print_validation(const Validation& validation, std::ostream& out);
// Writes JSON whose schema is src/formats/schemas/tutti-validation-1.schema.json.
void write_validation_json(const Validation& validation, std::ostream& out);

}}  // namespace tutti::output
