// Names of the runs of a validation.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace tutti::inline pictures {

// Returns a name for each run: "allreduce/ring", or "allreduce/circulant --skips sqrt" if the
// algorithm was run with several sets of options.
[[nodiscard]] std::vector<std::string> run_names(const nlohmann::json& runs);

}  // namespace tutti::inline pictures
