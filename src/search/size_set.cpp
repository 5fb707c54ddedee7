#include "src/search/size_set.hpp"

#include <algorithm>

#include "schedules/scaled_layout.hpp"
#include "schedules/verify/verify.hpp"
#include "src/search/robustness.hpp"

namespace tutti { inline namespace search {

std::optional<double> time_at(Schedule schedule, const Problem& problem, const Machine& machine) {
  const auto layout = scaled_layout(schedule.layout(), schedule.problem(), problem);
  if (!layout) {
    return std::nullopt;
  }
  schedule.resize(problem, *layout);
  return verify(schedule).proved() ? std::optional(time_over_ties(schedule, machine).seconds)
                                   : std::nullopt;
}

std::vector<SizeChoice> choose_finds(const std::vector<std::vector<std::optional<double>>>& found_s,
                                     const std::vector<double>& known_s) {
  std::vector<bool> kept(found_s.size(), true);
  const auto choices = [&] {
    std::vector<SizeChoice> made;
    for (std::size_t size = 0; size < known_s.size(); ++size) {
      SizeChoice choice{std::nullopt, known_s[size]};
      for (std::size_t find = 0; find < found_s.size(); ++find) {
        if (kept[find] && found_s[find][size] && *found_s[find][size] < choice.seconds) {
          choice = {find, *found_s[find][size]};
        }
      }
      made.push_back(choice);
    }
    return made;
  };
  const std::vector<SizeChoice> best = choices();
  // Leaves out the find that costs least, as long as the others are good enough.
  while (true) {
    std::optional<std::size_t> least;
    double least_loss = kLoss;
    for (std::size_t find = 0; find < found_s.size(); ++find) {
      if (!kept[find]) {
        continue;
      }
      kept[find] = false;
      double loss = 0;
      for (std::size_t size = 0; const SizeChoice& choice : choices()) {
        const double best_s = best[size++].seconds;
        loss = best_s > 0 ? std::max(loss, choice.seconds / best_s - 1) : loss;
      }
      if (loss <= least_loss) {
        least_loss = loss;
        least = find;
      }
      kept[find] = true;
    }
    if (!least) {
      return choices();
    }
    kept[*least] = false;
  }
}

}}  // namespace tutti::search
