// Converts decision tables to JSON. The schema is
// src/formats/schemas/tutti-decisions-1.schema.json.
#pragma once

#include <nlohmann/json.hpp>

#include "src/formats/fields.hpp"
#include "src/rule_files/decision_table.hpp"

namespace tutti { inline namespace rule_files {

[[nodiscard]] nlohmann::ordered_json table_json(const DecisionTable& table);
[[nodiscard]] nlohmann::ordered_json choice_json(const Choice& choice);
[[nodiscard]] FieldView choice_fields();
inline constexpr FieldsOf<Choice> kChoiceFields{choice_fields};

}}  // namespace tutti::rule_files
