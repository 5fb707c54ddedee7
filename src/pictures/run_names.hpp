// What runs of a validation are called.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tutti::inline pictures {

// "allreduce/ring"; "allreduce/circulant --skips sqrt" where the algorithm was run in several ways.
// One for each run.
[[nodiscard]] std::vector<std::string> run_names(const nlohmann::json& runs);

}  // namespace tutti::inline pictures
