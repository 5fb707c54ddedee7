#include "src/simulation/explain/explain_lead.hpp"

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

namespace tutti { inline namespace simulation {

namespace {

constexpr std::uint32_t kMostRanksExplained = 128;

bool quick(const Case& what) {
  const Machine& machine = *what.machine;
  return what.problem.ranks <= kMostRanksExplained && !unexplained(machine) &&
         !machine.engine->needs_simgrid(machine);
}

std::vector<LeadAccount::Links> links_of(const Explanation& explanation) {
  std::vector<LeadAccount::Links> found;
  // for each class of links, the levels of the schedule that use such links
  std::vector<std::vector<std::uint32_t>> levels;
  for (const LinkInRun& link : explanation.links) {
    const auto at = static_cast<std::size_t>(
        std::ranges::find(found, link.link.place.group, &LeadAccount::Links::group) -
        found.begin());
    if (at == found.size()) {
      found.push_back({link.link.place.group});
      levels.emplace_back();
    }
    found[at].lost_s += link.lost_on_chain_s;
    std::vector<std::uint32_t> all;
    std::ranges::set_union(levels[at], link.link.levels, std::back_inserter(all));
    levels[at] = std::move(all);
    found[at].rounds = levels[at].size();
  }
  return found;
}

LeadAccount::Links links_named(const LeadAccount& account, const std::string& group) {
  const auto at = std::ranges::find(account.links, group, &LeadAccount::Links::group);
  return at != account.links.end() ? *at : LeadAccount::Links{group};
}

// A kind of spending, with its seconds in both runs.
struct Difference {
  std::string on;
  double own_s = 0;
  double other_s = 0;
  std::string remark;
  [[nodiscard]] double gain_s() const { return other_s - own_s; }
};

// Adds the time lost to links, with one difference for each class of links.
void add_links(const LeadAccount& best, const LeadAccount& second,
               std::vector<Difference>& differences) {
  std::vector<std::string> groups;
  for (const LeadAccount* const each : {&second, &best}) {
    for (const LeadAccount::Links& links : each->links) {
      if (links.lost_s > 0 && std::ranges::find(groups, links.group) == groups.end()) {
        groups.push_back(links.group);
      }
    }
  }
  for (const std::string& group : groups) {
    const LeadAccount::Links own = links_named(best, group);
    const LeadAccount::Links other = links_named(second, group);
    differences.push_back({"lost to " + group, own.lost_s, other.lost_s,
                           own.rounds * second.rounds < other.rounds * best.rounds
                               ? fmt::format(" (crossed in {} of {} rounds, against {} of {})",
                                             own.rounds, best.rounds, other.rounds, second.rounds)
                               : ""});
  }
}

}  // namespace

std::string advantage(std::string_view on, double own_s, double second_s,
                      std::string_view second_name) {
  return fmt::format("{}: {} against {} for {}", on, brief_time(own_s), brief_time(second_s),
                     second_name);
}

std::optional<LeadAccount> account_for_lead(const Case& what) {
  if (!quick(what)) {
    return std::nullopt;
  }
  Machine machine = *what.machine;
  machine.spec.symmetry = SymmetryUse::off;
  machine.spec.engine = machine.engine->name;
  machine.setup.ties = {};
  watch_run(machine);
  Simulation run = simulate(*what.algorithm, what.problem, machine, Detail::times_only);
  // Explaining this many operations takes a few hundredths of a second.
  constexpr std::uint64_t kMostOps = 50'000;
  if (run.result.ops > kMostOps) {
    return std::nullopt;
  }
  const Explanation explanation = explain(std::move(run));
  LeadAccount account{{}, explanation.run.result.rounds, links_of(explanation)};
  account.spent.each(
      [&](Spending on, double& seconds) { seconds = explanation.account.seconds_on(on); });
  return account;
}

std::string explain_lead(const std::optional<LeadAccount>& best,
                         const std::optional<LeadAccount>& second, const std::string& second_name,
                         double ties_s) {
  if (!best || !second) {
    return "";
  }
  std::vector<Difference> differences;
  add_links(*best, *second, differences);
  for (const Spending on : {Spending::startup, Spending::transfer, Spending::reduction,
                            Spending::copying, Spending::cores, Spending::lateness}) {
    differences.push_back({std::string(in_words(on)), best->spent[on], second->spent[on], ""});
  }
  const auto gains_less = [](const Difference& a, const Difference& b) {
    return a.gain_s() < b.gain_s();
  };
  const auto most = std::max_element(differences.begin(), differences.end(), gains_less);
  const auto worst = std::min_element(differences.begin(), differences.end(), gains_less);
  if (most->gain_s() <= 0 || ties_s > kWorthSaying * most->gain_s()) {
    return "";
  }
  std::string text = advantage(most->on, most->own_s, most->other_s, second_name) + most->remark;
  if (-worst->gain_s() >= kWorthSaying * most->gain_s()) {
    text += fmt::format("; but {}: {} against {}", worst->on, brief_time(worst->own_s),
                        brief_time(worst->other_s));
  }
  return text;
}

}}  // namespace tutti::simulation
