#include "src/simulation/explain/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "platforms/cluster_platform.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::inline simulation {

namespace {

struct Trial {
  double simulated_s = 0;
  TieRange ties;

  [[nodiscard]] double least_s() const { return ties.runs == 0 ? simulated_s : ties.least_s; }
  [[nodiscard]] double most_s() const { return ties.runs == 0 ? simulated_s : ties.most_s; }
};
using Simulate = std::function<Trial(const Machine&)>;

// Classes of links to try if only SimGrid knows the links of the platform. The platform may lack
// some or all of these classes.
constexpr std::array kClassesByUse{kHostLinks, kInnerLinks, kLoopbacks};

// Names of classes of links. `known` is true if the platform has each of these classes; false if it
// may lack some of them.
struct LinkClasses {
  std::vector<std::string> names;
  bool known = false;
};

LinkClasses link_classes(const Machine& machine) {
  LinkClasses classes;
  const auto cluster = known_cluster(machine);
  if (cluster == nullptr) {
    classes.names.assign(kClassesByUse.begin(), kClassesByUse.end());
    return classes;
  }
  classes.known = true;
  for (std::uint32_t link = 0; link < cluster->link_count(); ++link) {
    std::string group = cluster->link_place(link).group;
    if (std::find(classes.names.begin(), classes.names.end(), group) == classes.names.end()) {
      classes.names.push_back(std::move(group));
    }
  }
  return classes;
}

class Trials {
 public:
  Trials(Machine machine, const Simulate& simulated)
      : machine_(std::move(machine)), simulated_(simulated) {
    machine_.record.link_statistics = false;
    machine_.spec.engine = machine_.engine->name;
    now_ = simulated_(machine_);
    result_.simulated_s = now_.simulated_s;
  }

  // Applies `change` to a copy of the machine, simulates the copy, and records the difference.
  template <typename Change>
  void run(std::string what, std::string what_if, Change&& change) {
    Machine changed = machine_;
    change(changed);
    const Trial then = simulated_(changed);
    const double now_s = now_.simulated_s;
    result_.found.push_back(
        {.what = std::move(what),
         .what_if = std::move(what_if),
         .simulated_s = then.simulated_s,
         .saved = now_s > 0 ? (now_s - then.simulated_s) / now_s : 0,
         .ties_s = (now_.most_s() - now_.least_s() + then.most_s() - then.least_s()) / 2,
         .within_ties = now_.least_s() <= then.most_s() && then.least_s() <= now_.most_s()});
  }

  void links() {
    if (!machine_.engine->has_network) {
      wider("all links", "");
      return;
    }
    const LinkClasses classes = link_classes(machine_);
    bool any = false;
    for (const std::string& name : classes.names) {
      if (name == kLoopbacks && machine_.mapping.ranks_per_host == 1) {
        continue;  // no message uses these links
      }
      try {
        wider("the " + name, name);
        any = true;
      } catch (const UserError&) {
        if (classes.known) {
          throw;
        }  // if the classes are not known, the platform just lacks such links
      }
    }
    // In an evenly loaded tree, up-links are as much of a bottleneck as down-links, so faster links
    // in only one direction do not help.
    for (const std::string& name : classes.names) {
      constexpr std::string_view kUp = " up-links";
      if (name.ends_with(kUp)) {
        const std::string level = name.substr(0, name.size() - kUp.size());
        wider(fmt::format("the {} links up and down", level), level + " links");
      }
    }
    if (!any) {
      wider("all links", "");
    }
  }

  void placements() {
    if (machine_.mapping.host_of_rank != nullptr) {
      return;  // the hosts are given, for example by a scheduler
    }
    const Placement now = machine_.mapping.placement;
    for (const Placement other : kPlacements) {
      // With one rank per host, placements block and cyclic are the same.
      const bool same =
          other == now || (machine_.mapping.ranks_per_host == 1 && other != Placement::by_switch &&
                           now != Placement::by_switch);
      Machine placed = machine_;
      if (same || !can_place(placed, other) ||
          (other == Placement::by_switch && one_switch(placed))) {
        continue;
      }
      const std::string how = other == Placement::block    ? "ranks placed in blocks"
                              : other == Placement::cyclic ? "ranks placed cyclically"
                                                           : "hosts spread over switches";
      try {
        run(how, fmt::format("placement={}", name(other)),
            [&](Machine& machine) { machine.mapping = placed.mapping; });
      } catch (const UserError&) {
        // `other` would spread ranks that share a reducing switch over several switches
        continue;
      }
    }
  }

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] Improvements take() {
    std::stable_sort(
        result_.found.begin(), result_.found.end(),
        [](const Improvement& a, const Improvement& b) { return a.simulated_s < b.simulated_s; });
    return std::move(result_);
  }

 private:
  void wider(const std::string& which, const std::string& name) {
    const std::string what_if = name.empty() ? "bw*2" : fmt::format("bw({})*2", name);
    run("twice the bandwidth of " + which, what_if, [&](Machine& machine) {
      machine.spec.changes.links.push_back(
          {.which = name, .bandwidth = 2, .latency = 1, .from = what_if});
    });
  }

  // True if the hosts in use, or all hosts of the platform, are at one switch.
  static bool one_switch(const Machine& machine) {
    const Mapping& mapping = machine.mapping;
    const std::uint64_t hosts =
        (std::uint64_t{mapping.ranks} + mapping.ranks_per_host - 1) / mapping.ranks_per_host;
    return mapping.place_at_switch == nullptr &&
           (mapping.hosts_per_switch == 0 || mapping.hosts_per_switch >= hosts);
  }
  static bool can_place(Machine& machine, Placement placement) {
    try {
      use_placement(machine, placement, "");
      return true;
    } catch (const UserError&) {  // the platform does not say which hosts share a switch
      return false;
    }
  }

  Machine machine_;
  const Simulate& simulated_;
  Trial now_;
  Improvements result_;
};

Improvements find_improvements(const Machine& machine, const Simulate& simulated) {
  Trials trials(machine, simulated);
  // Measured prices hold only for the unchanged machine.
  const bool measured = machine.setup.curves != nullptr;
  if (!measured) {
    trials.links();
    trials.run("half the latency", "lat*0.5", [](Machine& changed) {
      changed.spec.changes.links.push_back(
          {.which = "", .bandwidth = 1, .latency = 0.5, .from = "lat*0.5"});
    });
    trials.run("twice the speed of reductions", "gamma*0.5",
               [](Machine& changed) { changed.spec.changes.gamma *= 0.5; });
  }
  if (!measured && machine.copy_s_per_byte > 0) {
    trials.run("copies at half the price", "copy*0.5",
               [](Machine& changed) { changed.copy_s_per_byte *= 0.5; });
  }
  if (machine.setup.ports != kUnlimitedPorts) {
    trials.run("one more port", fmt::format("ports={}", machine.setup.ports + 1),
               [](Machine& changed) { ++changed.setup.ports; });
  }
  if (machine.engine->has_network) {
    if (!machine.spec.changes.unshared) {
      trials.run("no link shared", "sharing=off",
                 [](Machine& changed) { changed.spec.changes.unshared = true; });
    }
    trials.placements();
  }
  return trials.take();
}

}  // namespace

Improvements what_would_help(const Schedule& schedule, const Machine& machine) {
  const Simulate simulated = [&](const Machine& on) -> Trial {
    const EngineRun run = run_engine(schedule, on);
    return {run.timeline.total_s, run.ties};
  };
  return find_improvements(machine, simulated);
}

Improvements what_would_help(const Algorithm& algorithm, const Problem& problem,
                             const Machine& machine) {
  if (!machine.files.messages && takes_whole_schedule(algorithm, problem, machine)) {
    const Detail detail = machine.setup.curves ? Detail::payload : Detail::times_only;
    return what_would_help(make_schedule(algorithm, problem, detail), machine);
  }
  const Simulate simulated = [&](const Machine& on) -> Trial {
    const RunResult result = simulate(algorithm, problem, on, Detail::times_only).result;
    return {result.simulated_s, result.ties};
  };
  return find_improvements(machine, simulated);
}

}  // namespace tutti::inline simulation
