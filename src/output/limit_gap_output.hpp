// Prints what separates an explained run from the lower bound, as text and as JSON.
#pragma once

#include <iosfwd>

#include "src/formats/fields.hpp"
#include "src/simulation/explain/explanation.hpp"

namespace tutti { inline namespace output {

// Prints the parts of the time, if Explanation::limit is set.
void print_limit(const Explanation& explanation, std::ostream& out);
// bound_s, of_limit and limit, which are absent if Explanation::limit is not set.
[[nodiscard]] FieldView limit_fields();
inline constexpr FieldsOf<Explanation> kLimitFields{limit_fields};

}}  // namespace tutti::output
