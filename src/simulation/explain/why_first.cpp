#include "src/simulation/explain/why_first.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/time_column.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/explain/contrast.hpp"
#include "src/simulation/explain/explanation.hpp"

namespace tutti::inline simulation {

namespace {

constexpr std::uint32_t kMostRanks = 128;

bool quick(const Case& what) {
  const Machine& machine = *what.machine;
  return what.problem.ranks <= kMostRanks && !unexplained(machine) &&
         (machine.engine->needs_simgrid == nullptr || !machine.engine->needs_simgrid(machine));
}

std::optional<Explanation> explained(const Case& what) {
  Machine machine = *what.machine;
  machine.spec.symmetry = SymmetryUse::off;
  machine.spec.engine = machine.engine->name;
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

// What time goes on, in both.
struct Difference {
  std::string on;
  double own_s = 0;
  double other_s = 0;
  std::string remark;
  [[nodiscard]] double gain_s() const { return other_s - own_s; }
};

// What was lost to links, class by class.
void add_links(const Explanation& best, const Explanation& second,
               std::vector<Difference>& differences) {
  std::vector<std::string> groups;
  for (const Explanation* const each : {&second, &best}) {
    for (const LinkInRun& link : each->links) {
      if (link.lost_on_chain_s > 0 &&
          std::find(groups.begin(), groups.end(), link.link.place.group) == groups.end()) {
        groups.push_back(link.link.place.group);
      }
    }
  }
  for (const std::string& group : groups) {
    const Crossing own = crossing(best, group);
    const Crossing other = crossing(second, group);
    const std::uint64_t best_rounds = best.run.result.rounds;
    const std::uint64_t second_rounds = second.run.result.rounds;
    differences.push_back({"lost to " + group, own.lost_s, other.lost_s,
                           own.rounds * second_rounds < other.rounds * best_rounds
                               ? fmt::format(" (crossed in {} of {} rounds against {} of {})",
                                             own.rounds, best_rounds, other.rounds, second_rounds)
                               : ""});
  }
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
  std::vector<Difference> differences;
  add_links(own, other, differences);
  for (const Spending on : {Spending::startup, Spending::transfer, Spending::reduction,
                            Spending::copying, Spending::cores, Spending::lateness}) {
    // Whoever waited for it meanwhile.
    const Both<double> spent{own.account.seconds_on(on), other.account.seconds_on(on)};
    differences.push_back({std::string(in_words(on)), spent.first, spent.second, ""});
  }
  const auto gains_less = [](const Difference& a, const Difference& b) {
    return a.gain_s() < b.gain_s();
  };
  const auto most = std::max_element(differences.begin(), differences.end(), gains_less);
  const auto worst = std::min_element(differences.begin(), differences.end(), gains_less);
  if (most->gain_s() <= 0) {
    return "";
  }
  std::string text = advantage(most->on, most->own_s, most->other_s, second_name) + most->remark;
  if (-worst->gain_s() >= kWorthSaying * most->gain_s()) {
    text += fmt::format("; but {}: {} against {}", worst->on, brief_time(worst->own_s),
                        brief_time(worst->other_s));
  }
  return text;
}

}  // namespace tutti::inline simulation
