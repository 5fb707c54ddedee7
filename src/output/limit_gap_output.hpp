// Prints what separates an explained run from the lower bound, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>

#include "src/simulation/explain/explanation.hpp"

namespace tutti { inline namespace output {

// Prints the parts of the time, if Explanation::limit is set.
void print_limit(const Explanation& explanation, std::ostream& out);
// Sets bound_s, of_limit and limit, if Explanation::limit is set.
void put_limit(nlohmann::ordered_json& json, const Explanation& explanation);

}}  // namespace tutti::output
