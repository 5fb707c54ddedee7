// From the formula to the simulated time, step by step; and what would make it shorter.
#pragma once

#include <optional>

#include "src/pictures/document.hpp"
#include "src/pictures/picture.hpp"

namespace tutti::inline pictures {

// Of an explanation, or of that in a recording; `title` says which run it is, `links` (of either,
// or null) what its links are called.
[[nodiscard]] Picture waterfall_chart(const nlohmann::json& explanation, const std::string& title,
                                      const nlohmann::json& links, double width);

// Where the time goes, as one bar from end to end.
[[nodiscard]] Picture account_chart(const nlohmann::json& explanation, const std::string& title,
                                    double width);

// Of an explanation that has improvements.
[[nodiscard]] Picture improvements_chart(const nlohmann::json& explanation,
                                         const std::string& title, double width);

}  // namespace tutti::inline pictures
