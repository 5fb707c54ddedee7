// MPICH's built-in selection tree. A rule file replaces the whole tree, so it must have an entry
// for every collective. Source: maint/tuning/coll/mpir/generic.json at v4.0.2; at v4.3.2 only the
// barrier differs.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace rule_files {

// Returns the names of all collectives that MPICH looks up, blocking and nonblocking.
[[nodiscard]] std::span<const std::string_view> mpich_collectives();

// Returns the subtree under "collective=NAME" in the built-in tree of a release (403 is 4.3).
[[nodiscard]] nlohmann::ordered_json mpich_built_in(std::string_view collective, int release);

// Returns a leaf: {"algorithm=NAME": {}}.
[[nodiscard]] nlohmann::ordered_json mpich_leaf(const std::string& algorithm);

// Returns a tree in which subtree(steps[i]) applies from the number `from` of the step on, up to
// that of the next step. `family` is the name of the number in conditions: "comm_size". If there is
// a single step, returns its subtree. MPICH reads bounds as ints, so steps above INT32_MAX are left
// out.
template <typename Step, typename Number, typename Subtree>
nlohmann::ordered_json mpich_steps(const std::vector<Step>& steps, Number Step::*from,
                                   std::string_view family, Subtree&& subtree) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    nlohmann::ordered_json tree = subtree(steps[i]);
    const bool last =
        i + 1 == steps.size() || steps[i + 1].*from - 1 > std::numeric_limits<std::int32_t>::max();
    if (last && json.empty()) {
      return tree;
    }
    json[last ? fmt::format("{}=any", family)
              : fmt::format("{}<={}", family, steps[i + 1].*from - 1)] = std::move(tree);
    if (last) {
      break;
    }
  }
  return json;
}

}}  // namespace tutti::rule_files
