#include "simulation/explain/why_first.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/time_column.hpp"
#include "simulation/engines/engine_type.hpp"
#include "simulation/explain/contrast.hpp"
#include "simulation/explain/explanation.hpp"

namespace tutti {

namespace {

constexpr std::uint32_t kMostRanks = 128;

bool quick(const Case& what) {
  const Machine& machine = *what.machine;
  return what.problem.ranks <= kMostRanks && !unexplained(machine) &&
         (machine.engine->needs_simgrid == nullptr || !machine.engine->needs_simgrid(machine));
}

std::optional<Explanation> explained(const Case& what) {
  Machine machine = *what.machine;
  machine.symmetry = SymmetryUse::off;
  machine.engine_asked = machine.engine->name;
  machine.setup.ties = {};
  Simulation run = simulate(*what.algorithm, what.problem, machine, Detail::times_only);
  // Explaining as many takes a few hundredths of a second.
  constexpr std::uint64_t kMostOps = 50'000;
  return run.result.ops <= kMostOps ? std::optional(explain(std::move(run))) : std::nullopt;
}

struct Crossing {
  std::size_t rounds = 0;
  double lost_s = 0;  // on the chain
};

// Of the links of a class.
Crossing crossing(const Explanation& explanation, const std::string& group) {
  Crossing crossing;
  std::vector<std::uint32_t> levels;
  for (const LinkInRun& link : explanation.links) {
    if (link.link.place.group == group) {
      crossing.lost_s += link.lost_on_chain_s;
      std::vector<std::uint32_t> all;
      std::set_union(levels.begin(), levels.end(), link.link.levels.begin(), link.link.levels.end(),
                     std::back_inserter(all));
      levels = std::move(all);
    }
  }
  crossing.rounds = levels.size();
  return crossing;
}

// What was lost to links, class by class; the class to which the second loses most more.
std::string by_links(const Explanation& best, const Explanation& second,
                     const std::string& second_name, double& gain_s) {
  std::vector<std::string> groups;
  for (const LinkInRun& link : second.links) {
    if (link.lost_on_chain_s > 0 &&
        std::find(groups.begin(), groups.end(), link.link.place.group) == groups.end()) {
      groups.push_back(link.link.place.group);
    }
  }
  std::string text;
  for (const std::string& group : groups) {
    const Crossing own = crossing(best, group);
    const Crossing other = crossing(second, group);
    if (other.lost_s - own.lost_s <= gain_s) {
      continue;
    }
    gain_s = other.lost_s - own.lost_s;
    text = advantage("lost to " + group, own.lost_s, other.lost_s, second_name);
    const std::uint64_t best_rounds = best.run.result.rounds;
    const std::uint64_t second_rounds = second.run.result.rounds;
    if (own.rounds * second_rounds < other.rounds * best_rounds) {
      text += fmt::format(" (crossed in {} of {} rounds against {} of {})", own.rounds, best_rounds,
                          other.rounds, second_rounds);
    }
  }
  return text;
}

}  // namespace

std::string advantage(std::string_view on, double own_s, double second_s,
                      std::string_view second_name) {
  return fmt::format("{}: {} against {} of {}", on, brief_time(own_s), brief_time(second_s),
                     second_name);
}

std::string why_first(const Case& best, const Case& second, const std::string& second_name) {
  if (!quick(best) || !quick(second)) {
    return "";
  }
  const auto of_best = explained(best);
  const auto of_second = of_best ? explained(second) : std::nullopt;
  if (!of_second) {
    return "";
  }
  const Explanation& own = *of_best;
  const Explanation& other = *of_second;
  double gain_s = 0;
  std::string text = by_links(own, other, second_name, gain_s);
  for (const Spending on : {Spending::startup, Spending::transfer, Spending::reduction,
                            Spending::copying, Spending::cores, Spending::lateness}) {
    // Whoever waited for it meanwhile.
    const Both<double> spent{own.account.seconds_on(on), other.account.seconds_on(on)};
    if (spent.second - spent.first > gain_s) {
      gain_s = spent.second - spent.first;
      text = advantage(in_words(on), spent.first, spent.second, second_name);
    }
  }
  return text;
}

}  // namespace tutti
