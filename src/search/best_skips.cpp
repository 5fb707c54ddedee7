#include "src/search/best_skips.hpp"

#include <limits>

#include "src/search/search.hpp"
#include "src/search/valid_skips.hpp"
#include "src/simulation/flow_run.hpp"
#include "src/simulation/machine_bound.hpp"

namespace tutti { inline namespace search {

Skips best_skips(const Case& one, std::size_t jobs) {
  Machine machine = *one.machine;
  check_searchable(machine);
  ask_for_routes(machine);
  const MachineBounds bounds = bounds_of(machine);
  Goal goal;
  goal.problem = one.problem;
  goal.machine = &machine;
  goal.network = bounds.network;
  goal.host_of_rank = bounds.setup.host_of_rank;
  goal.known = {{one.algorithm, one.problem, 0}};
  std::vector<std::unique_ptr<Family>> families;
  families.push_back(skips_family(goal));
  SearchBudget budget;
  budget.jobs = jobs;
  budget.most_s = budget.best_known_s = std::numeric_limits<double>::infinity();
  const std::size_t lists = valid_skips(one.problem.ranks, kMostSkipLists).size();
  budget.most_evaluations = lists > 0 ? lists : kMostSkipLists / 2;
  const SearchResult result = search_schedules(
      goal, families, budget, [](const Find&) {}, [] { return true; });
  return result.best ? result.best->draft->known_case()->problem.skips : one.problem.skips;
}

}}  // namespace tutti::search
