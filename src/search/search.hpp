// The search: tries candidates of all families, and varies the best ones.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/search/family.hpp"

namespace tutti { inline namespace search {

// Throws UserError if schedules cannot be searched for on the machine, because no bounds are known
// or because its messages follow a message model.
void check_searchable(const Machine& machine);

struct SearchBudget {
  std::uint64_t seed = 1;
  std::size_t jobs = 1;
  // The search ends when one of the two is reached. If the number of evaluations is reached first,
  // the result depends only on it and the seed.
  double most_s = 60;
  std::uint64_t most_evaluations = UINT64_MAX;
  // The best time of known algorithms; only faster schedules are found.
  double best_known_s = 0;
  double bound_s = 0;  // the search ends when it is reached
};

struct Find {
  std::string_view family;
  std::shared_ptr<const Draft> draft;
  double seconds = 0;
  std::uint64_t evaluation = 0;  // number of evaluations until then
};

struct FamilyCount {
  std::string_view name;
  std::uint64_t evaluations = 0;
  // The fastest schedule of the family that was simulated, whether or not it is faster than known
  // algorithms; null if none was.
  std::shared_ptr<const Draft> best;
  double best_s = 0;
};

struct SearchResult {
  std::optional<Find> best;
  std::vector<FamilyCount> families;
  std::uint64_t evaluations = 0;
  // Number of these that were not simulated, because their busiest link or rank alone takes longer
  // than the best time.
  std::uint64_t bounded = 0;
};

// `found` is called for each candidate that is faster than all before. Threads call `proceed`
// before each candidate; the search ends when it returns false.
[[nodiscard]] SearchResult search_schedules(const Goal& goal,
                                            const std::vector<std::unique_ptr<Family>>& families,
                                            const SearchBudget& setup,
                                            const std::function<void(const Find&)>& found,
                                            const std::function<bool()>& proceed);

}}  // namespace tutti::search
