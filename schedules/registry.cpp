#include "schedules/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/nearest.hpp"

namespace tutti {

#define TUTTI_ALGORITHM(collective, algorithm)   \
  namespace collective {                         \
  extern const Algorithm algorithm; /* NOLINT */ \
  }
#include "schedules/registry.def"
#undef TUTTI_ALGORITHM

namespace {

constexpr std::array kAlgorithms{
#define TUTTI_ALGORITHM(collective, algorithm) &collective::algorithm,
#include "schedules/registry.def"
#undef TUTTI_ALGORITHM
};

}  // namespace

std::span<const Algorithm* const> algorithms() { return kAlgorithms; }

const Algorithm* find_algorithm(Collective collective, std::string_view name) {
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->collective == collective && algorithm->name == name) {
      return algorithm;
    }
  }
  return nullptr;
}

const Algorithm& algorithm_named(std::string_view full_name) {
  std::vector<std::string> names;
  names.reserve(kAlgorithms.size());
  for (const Algorithm* algorithm : kAlgorithms) {
    names.push_back(algorithm->full_name());
    if (names.back() == full_name) {
      return *algorithm;
    }
  }
  if (collective_named(full_name)) {
    const auto first = std::find_if(names.begin(), names.end(), [&](const std::string& each) {
      return each.starts_with(fmt::format("{}/", full_name));
    });
    throw UserError(fmt::format(
        "'{0}' is a collective; name one of its algorithms, such as {1} ('tutti list {0}' names "
        "all of them)",
        full_name, first == names.end() ? "none" : *first));
  }
  const std::string suggestion = nearest(full_name, names);
  throw UserError(
      fmt::format("unknown algorithm '{}'{} ('tutti list' names all of them)", full_name,
                  suggestion.empty() ? "" : fmt::format(": did you mean '{}'?", suggestion)));
}

}  // namespace tutti
