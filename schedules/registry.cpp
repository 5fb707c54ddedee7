#include "schedules/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

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

// Levenshtein's distance, with neighbouring letters that trade places as one slip.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // two rows up
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      // Two letters that trade places are one slip.
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::span<const Algorithm* const> algorithms() { return kAlgorithms; }

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(3, word.size() / 2);
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

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
