#include "src/simulation/explain/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/work_ticker.hpp"
#include "platforms/cluster_platform.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/explain/one_rank.hpp"
#include "src/simulation/message_changes.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace simulation {

namespace {

struct Trial {
  double simulated_s = 0;
  TieRange ties;

  [[nodiscard]] double least_s() const { return ties.runs == 0 ? simulated_s : ties.least_s; }
  [[nodiscard]] double most_s() const { return ties.runs == 0 ? simulated_s : ties.most_s; }
};
using Simulate = std::function<Trial(const Machine&)>;

// The known facts of the run without changes. If it is certain that a change does not move any
// event of the run, the changed run has the same times and is not simulated.
struct UnchangedRun {
  Trial trial;
  bool needs_ports = true;  // false: more ports change nothing
  bool reduces = true;      // false: no operation reduces bytes
  bool copies = true;       // false: no operation copies bytes
  // The parameters of the message model on which the run spent time, those with most time first.
  std::vector<const MessageParameter*> parameters;
};

// Classes of links to try if only SimGrid knows the links of the platform. The platform may lack
// some or all of these classes.
constexpr std::array kClassesByUse{kHostLinks, kInnerLinks,  kLoopbacks,  kLimiters,
                                   kBackbones, kGlobalLinks, kBlackLinks, kGreenLinks};

class Trials {
 public:
  // Runs up to `workers` trials at a time.
  Trials(Machine machine, const Simulate& simulated, std::size_t workers,
         const std::optional<UnchangedRun>& unchanged)
      : machine_(std::move(machine)), simulated_(simulated), workers_(workers) {
    machine_.record.link_statistics = false;
    machine_.spec.engine = machine_.engine->name;
    now_ = unchanged ? unchanged->trial : simulated_(machine_);
    result_.simulated_s = now_.simulated_s;
  }

  // Applies `change` to a copy of the machine, which finish() simulates.
  template <typename Change>
  void add(std::string what, std::string what_if, Change&& change) {
    PlannedChange& planned = planned_.emplace_back();
    planned.found = {.what = std::move(what), .what_if = std::move(what_if)};
    planned.machine = machine_;
    change(*planned.machine);
    if (planned.machine->files.messages) {
      use_messages(*planned.machine);
    }
  }

  // Adds a change that halves a time, or doubles a rate or a count.
  void parameter(const MessageParameter& parameter) {
    const bool less = parameter.unit == "s" || parameter.unit == "s/B" || parameter.unit.empty();
    const double value = message_model(machine_).*parameter.value;
    if (value == 0 || !std::isfinite(value)) {
      return;
    }
    add(fmt::format("{} {}", less ? "half of" : "twice", parameter.name),
        fmt::format("{}*{}", parameter.name, less ? "0.5" : "2"), [&](Machine& machine) {
          machine.spec.parameter_changes.push_back({&parameter, std::nullopt, less ? 0.5 : 2});
        });
  }

  // Adds a change that has no effect on the run.
  void add_without_effect(std::string what, std::string what_if) {
    planned_.push_back({.found = {.what = std::move(what), .what_if = std::move(what_if)}});
    planned_.back().trial = now_;
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
      wider("the " + name, name);
      if (!classes.known) {
        try {
          finish();
        } catch (const UserError&) {
          continue;  // the platform just lacks such links
        }
      }
      any = true;
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
      add(how, fmt::format("placement={}", name(other)),
          [&](Machine& machine) { machine.mapping = placed.mapping; });
      // `other` may spread ranks that share a reducing switch over several switches.
      planned_.back().may_be_invalid = true;
    }
  }

  [[nodiscard]] Improvements take() {
    finish();
    std::stable_sort(
        result_.found.begin(), result_.found.end(),
        [](const Improvement& a, const Improvement& b) { return a.simulated_s < b.simulated_s; });
    return std::move(result_);
  }

 private:
  // A change, and the run with this change.
  struct PlannedChange {
    Improvement found;
    std::optional<Machine> machine = {};  // unset if the trial is known
    Trial trial = {};
    bool may_be_invalid = false;  // true: the change is left out if the machine is invalid
    bool invalid = false;
  };

  // Simulates the machines that were added, and records how their times differ. If several are
  // invalid, throws the error of the first one, as if they were simulated one after the other.
  void finish() {
    std::vector<PlannedChange> planned = std::exchange(planned_, {});
    std::vector<PlannedChange*> open;
    for (PlannedChange& each : planned) {
      if (each.machine) {
        open.push_back(&each);
      }
    }
    ParallelWork work{.jobs = workers_};
    std::optional<TickedWork> ticked;
    // The simulations of a single thread report their own progress.
    if (workers_ > 1 && open.size() > 1) {
      ticked.emplace("simulating changes", open.size());
      work.progress = [&](std::size_t done) { ticked->at(done); };
    }
    for_each_parallel(open.size(), work, [&](std::size_t i) {
      try {
        open[i]->trial = simulated_(*open[i]->machine);
      } catch (const UserError&) {
        if (!open[i]->may_be_invalid) {
          throw;
        }
        open[i]->invalid = true;
      }
    });
    for (PlannedChange& each : planned) {
      if (!each.invalid) {
        record(std::move(each.found), each.trial);
      }
    }
  }

  void record(Improvement found, const Trial& then) {
    const double now_s = now_.simulated_s;
    found.simulated_s = then.simulated_s;
    found.saved = now_s > 0 ? (now_s - then.simulated_s) / now_s : 0;
    found.ties_s = (now_.most_s() - now_.least_s() + then.most_s() - then.least_s()) / 2;
    found.within_ties = now_.least_s() <= then.most_s() && then.least_s() <= now_.most_s();
    result_.found.push_back(std::move(found));
  }

  void wider(const std::string& which, const std::string& name) {
    const std::string what_if = name.empty() ? "bw*2" : fmt::format("bw({})*2", name);
    add("twice the bandwidth of " + which, what_if, [&](Machine& machine) {
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
  std::size_t workers_;
  Trial now_;
  std::vector<PlannedChange> planned_;
  Improvements result_;
};

Improvements find_improvements(const Machine& machine, Collective collective,
                               const Simulate& simulated, std::size_t workers = 1,
                               const std::optional<UnchangedRun>& unchanged = std::nullopt) {
  Trials trials(machine, simulated, workers, unchanged);
  const bool needs_ports = !unchanged || unchanged->needs_ports;
  const bool reduces = !unchanged || unchanged->reduces;
  const bool copies = !unchanged || unchanged->copies;
  // Adds a change. If `has_effect` is false, the run does not depend on it.
  const auto add = [&](bool has_effect, std::string what, std::string what_if, auto&& change) {
    if (has_effect) {
      trials.add(std::move(what), std::move(what_if), change);
    } else {
      trials.add_without_effect(std::move(what), std::move(what_if));
    }
  };
  // Measured prices hold only for the unchanged machine.
  const bool measured = machine.setup.curves != nullptr;
  if (!measured) {
    trials.links();
    trials.add("half the latency", "lat*0.5", [](Machine& changed) {
      changed.spec.changes.links.push_back(
          {.which = "", .bandwidth = 1, .latency = 0.5, .from = "lat*0.5"});
    });
    add(reduces, fmt::format("twice the speed of {}s", word_for_reduction(collective)), "gamma*0.5",
        [](Machine& changed) { changed.spec.changes.gamma *= 0.5; });
  }
  const bool copies_cost = machine.files.messages ? message_model(machine).copy_s_per_byte > 0
                                                  : machine.copy_s_per_byte > 0;
  if (!measured && copies_cost) {
    add(copies, "copies at half the price", "copy*0.5", [](Machine& changed) {
      changed.copy_s_per_byte *= 0.5;
      changed.spec.copy.times *= 0.5;  // for a message model
    });
  }
  if (unchanged) {
    for (const MessageParameter* const parameter : unchanged->parameters) {
      trials.parameter(*parameter);
    }
  }
  if (machine.files.messages && !machine.spec.ports) {
    // The library may allow fewer messages under way than the message model does.
    if (needs_ports && machine.library_work.under_way == 0) {
      trials.add("one more message under way", fmt::format("under_way={}", machine.setup.ports + 1),
                 [](Machine& changed) {
                   changed.spec.parameter_changes.push_back(
                       {find_message_parameter("under_way"), changed.setup.ports + 1.0, 1});
                 });
    }
  } else if (needs_ports && machine.setup.ports != kUnlimitedPorts) {
    trials.add("one more port", fmt::format("ports={}", machine.setup.ports + 1),
               [](Machine& changed) { changed.spec.ports = ++changed.setup.ports; });
  }
  if (machine.engine->has_network) {
    if (!machine.spec.changes.unshared) {
      trials.add("no link shared", "sharing=off",
                 [](Machine& changed) { changed.spec.changes.unshared = true; });
    }
    trials.placements();
  }
  return trials.take();
}

// Returns the parameters of the message model that price the pieces of an account, those with most
// time first. Leaves out those that other improvements change: gamma, copy and lat.
std::vector<const MessageParameter*> parameters_of(const TimeAccount& account) {
  std::map<MessagePart, double> parts;
  for (const Piece& piece : account.pieces) {
    const bool local = piece.on == Spending::reduction || piece.on == Spending::copying;
    const bool latency = piece.part == MessagePart::latency ||
                         piece.part == MessagePart::wire_latency ||
                         piece.part == MessagePart::node_latency;
    if (piece.part != MessagePart::none && !local && !latency) {
      parts[piece.part] += piece.seconds;
    }
  }
  std::vector<std::pair<double, MessagePart>> sorted;
  for (const auto& [part, seconds] : parts) {
    sorted.emplace_back(seconds, part);
  }
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const MessageParameter*> found;
  for (const auto& [seconds, part] : sorted) {
    for (const std::string_view name : parameters_of(part)) {
      const MessageParameter* const parameter = find_message_parameter(name);
      if (std::ranges::find(found, parameter) == found.end()) {
        found.push_back(parameter);
      }
    }
  }
  return found;
}

UnchangedRun unchanged_run(const Simulation& run, const Machine& machine,
                           const TimeAccount* account = nullptr) {
  const auto any = [&](OpKind kind) {
    return std::ranges::any_of(
        run.schedule->ops(), [kind](const Op& op) { return op.kind() == kind && op.bytes() > 0; });
  };
  const RunSetup& setup = machine.setup;
  // Runs with other seeds, or with shifted starts, may wait for ports even if this run did not.
  const bool one_run =
      setup.disturbance.repeat <= 1 && (setup.ties.runs == 0 || setup.ties.most_ops > 0);
  return {.trial = {run.timeline.total_s, run.result.ties},
          .needs_ports = run.result.waited || !one_run,
          // Without a network, gamma is a fact of the platform, which is described anew with its
          // changes, so that alpha and beta may be rounded differently.
          .reduces = any(OpKind::reduce) || !machine.engine->has_network,
          .copies = any(OpKind::copy) || machine.library_work.copied > 0,
          .parameters = account != nullptr ? parameters_of(*account)
                                           : std::vector<const MessageParameter*>()};
}

// Returns the number of trials to run at a time. Each of them needs memory for all operations.
std::size_t workers_for(const Schedule& schedule, const Machine& machine) {
  constexpr std::size_t kFewOps = 2'000;  // starting a thread takes as long as simulating these
  constexpr std::size_t kMostOps = std::size_t{1} << 19U;  // of all trials together
  if (machine.engine->needs_simgrid(machine) || schedule.size() < kFewOps) {
    return 1;
  }
  return std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()),
                               std::max<std::size_t>(1, kMostOps / schedule.size()));
}

}  // namespace

LinkClasses link_classes(const Machine& machine) {
  LinkClasses classes;
  const auto cluster = known_cluster(machine);
  if (cluster == nullptr) {
    classes.names.assign(kClassesByUse.begin(), kClassesByUse.end());
    return classes;
  }
  classes.known = true;
  const LinkRange unused = cluster->unused_links(hosts_in_use(machine.mapping).back() + 1);
  for (std::uint32_t link = 0; link < cluster->link_count(); ++link) {
    if (link >= unused.first && link < unused.end) {
      continue;
    }
    std::string group = cluster->link_place(link).group;
    if (std::find(classes.names.begin(), classes.names.end(), group) == classes.names.end()) {
      classes.names.push_back(std::move(group));
    }
  }
  return classes;
}

Improvements what_would_help(const Simulation& run, const Machine& machine,
                             const TimeAccount* account) {
  const Schedule& schedule = *run.schedule;
  const Simulate simulated = [&](const Machine& on) -> Trial {
    const EngineRun trial = run_engine(schedule, on);
    return {trial.timeline.total_s, trial.ties};
  };
  return find_improvements(machine, schedule.problem().collective, simulated,
                           workers_for(schedule, machine), unchanged_run(run, machine, account));
}

Improvements what_would_help_all(const Simulation& one, const Machine& machine) {
  std::optional<Schedule> all;
  const Simulate simulated = [&](const Machine& on) -> Trial {
    // If no link is shared, ranks do not affect each other, whatever the network is.
    if (on.engine->all_alike(on) || on.spec.changes.unshared) {
      const EngineRun trial = run_engine(*one.schedule, on);
      if (!trial.timeline.waited) {
        return {trial.timeline.total_s, trial.ties};
      }
    }
    if (!all) {
      all = make_schedule(*one.result.algorithm, one.result.problem, Detail::times_only);
    }
    const EngineRun trial = run_engine(*all, on);
    return {trial.timeline.total_s, trial.ties};
  };
  return find_improvements(machine, one.result.problem.collective, simulated, 1,
                           unchanged_run(one, machine));
}

Improvements what_would_help(const Algorithm& algorithm, const Problem& problem,
                             const Machine& machine) {
  const Simulate simulated = [&](const Machine& on) -> Trial {
    const RunResult result = simulate(algorithm, problem, on, Detail::times_only).result;
    return {result.simulated_s, result.ties};
  };
  return find_improvements(machine, problem.collective, simulated);
}

}}  // namespace tutti::simulation
