// Prints how often the rules of a file were used in a run, as text or as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>

#include "src/experiments/ran/rules_ran.hpp"
#include "src/formats/fields.hpp"

namespace tutti { inline namespace output {

void print_rules_ran(const RuleUses& ran, RuleFormat format, std::ostream& out);
// The object `ran` of a file in the document tutti-lint/2.
[[nodiscard]] FieldView rules_ran_fields();
inline constexpr FieldsOf<RuleUses> kRulesRanFields{rules_ran_fields};

}}  // namespace tutti::output
