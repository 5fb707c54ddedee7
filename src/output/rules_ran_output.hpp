// Prints how often the rules of a file were used in a run, as text or as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>

#include "src/experiments/ran/rules_ran.hpp"

namespace tutti { inline namespace output {

void print_rules_ran(const RulesRan& ran, RuleFormat format, std::ostream& out);
// Returns the object `ran` of a file in schema tutti-lint/2.
[[nodiscard]] nlohmann::ordered_json rules_ran_json(const RulesRan& ran);

}}  // namespace tutti::output
