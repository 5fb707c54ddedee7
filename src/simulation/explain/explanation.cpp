#include "src/simulation/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/flow_run.hpp"
#include "src/simulation/message_setup.hpp"

namespace tutti { inline namespace simulation {

namespace {

// Accounts for the longest path, with times from alpha, beta and gamma alone.
TimeAccount account_of_longest_path(const Simulation& run, const OwnTimes& nominal) {
  RunSetup setup = run.result.machine.setup;
  setup.disturbance = {};  // the formulas assume an undisturbed network
  CriticalPathEngine engine(run.result.described.prices);
  const Timeline timeline = engine.run(*run.schedule, setup);
  return account_of(*run.schedule, walk_chain(*run.schedule, timeline, setup, nominal), nominal,
                    setup.curves ? setup.curves->start_s : 0, timeline.total_s);
}

std::vector<LinkInRun> links_of(std::vector<NamedLinkStatistics> links,
                                const TimeAccount& account) {
  std::vector<LinkInRun> found;
  found.reserve(links.size());
  for (NamedLinkStatistics& link : links) {
    found.push_back({std::move(link)});
  }
  std::sort(found.begin(), found.end(), [](const LinkInRun& a, const LinkInRun& b) {
    return a.link.statistics.link < b.link.statistics.link;
  });
  for (const Piece& piece : account.pieces) {
    if (piece.on != Spending::sharing) {
      continue;
    }
    const auto at = std::lower_bound(found.begin(), found.end(), piece.link,
                                     [](const LinkInRun& link, std::uint32_t number) {
                                       return link.link.statistics.link < number;
                                     });
    TUTTI_INVARIANT(at != found.end() && at->link.statistics.link == piece.link);
    at->lost_on_chain_s += piece.seconds;
  }
  std::stable_sort(found.begin(), found.end(), [](const LinkInRun& a, const LinkInRun& b) {
    return std::tuple(-a.lost_on_chain_s, -a.link.statistics.lost_s, ~a.link.statistics.bytes) <
           std::tuple(-b.lost_on_chain_s, -b.link.statistics.lost_s, ~b.link.statistics.bytes);
  });
  return found;
}

// Returns all operations of the schedule, to be watched. The operations in `of_chain` keep their
// WatchedOp::split_s.
std::vector<WatchedOp> everything(const Schedule& schedule,
                                  const std::vector<WatchedOp>& of_chain) {
  std::vector<WatchedOp> watched(schedule.size());
  for (OpId id = 0; id < schedule.size(); ++id) {
    watched[id].id = id;
  }
  for (const WatchedOp& op : of_chain) {
    watched[op.id] = op;
  }
  return watched;
}

// Repeats a run with exactly the same results. Records what the operations and links in `watched`
// did, and the data that `record` asks for.
EngineRun run_watched(const Simulation& run, WatchList watched, const RunOptions& record) {
  Machine machine = run.result.machine;
  machine.record = record;
  machine.setup.ties = {};
  machine.setup.disturbance.repeat = 1;  // the seed is already that of the reported run
  machine.setup.watched = std::make_shared<const WatchList>(std::move(watched));
  EngineRun again = machine.engine->run(*run.schedule, machine, nullptr);
  if (again.timeline.total_s != run.timeline.total_s) {
    throw InvariantError("a run and its watched repetition take different times");
  }
  return again;
}

RunOptions recorded_for(Watch watch) {
  return {.link_statistics = true, .keep_routes = watch != Watch::chain};
}

RunRecord record_again(Simulation& run, std::vector<WatchedOp> ops, Watch watch) {
  run.record = {};
  EngineRun again = run_watched(run, {.ops = std::move(ops), .links = {}}, recorded_for(watch));
  return {std::move(again.record), std::move(again.links), std::move(again.routes)};
}

// True if the run has recorded everything that run_watched() would record of `ops`.
bool is_recorded(const Simulation& run, const std::vector<WatchedOp>& ops, Watch watch) {
  return run.record.flows.complete &&
         (watch == Watch::chain || !run.record.routes.host_of_rank.empty()) &&
         std::ranges::none_of(ops, [](const WatchedOp& op) { return std::isfinite(op.split_s); });
}

// Returns what run_watched() would return, for a run that has recorded all operations.
RunRecord record_of(Simulation& run, const std::vector<WatchedOp>& ops) {
  RunRecord record = std::exchange(run.record, {});
  if (ops.size() == run.schedule->size()) {
    return record;
  }
  std::vector<bool> watched(run.schedule->size());
  for (const WatchedOp& op : ops) {
    watched[op.id] = true;
  }
  std::vector<FlowStretch> stretches;
  std::ranges::copy_if(record.flows.stretches, std::back_inserter(stretches),
                       [&](const FlowStretch& stretch) { return watched[stretch.id]; });
  record.flows.stretches = std::move(stretches);
  return record;
}

}  // namespace

const LinkInRun* Explanation::link(std::uint32_t number) const {
  for (const LinkInRun& known : links) {
    if (known.link.statistics.link == number) {
      return &known;
    }
  }
  return nullptr;
}

std::vector<IdleParallelLinks> idle_parallel_links(const std::vector<LinkInRun>& links) {
  std::vector<IdleParallelLinks> found;
  const auto of_class = [&found](const LinkInRun& link) {
    return std::ranges::find(found, link.link.place.group, &IdleParallelLinks::group);
  };
  for (const LinkInRun& link : links) {
    if (link.link.statistics.lost_s > 0 && link.link.place.parallel.count > 1 &&
        of_class(link) == found.end()) {
      found.push_back({link.link.place.group, 0, 0});
    }
  }
  std::set<std::uint32_t> known;  // number of the first link of each set of parallel links
  for (const LinkInRun& link : links) {
    const ParallelLinks& parallel = link.link.place.parallel;
    const auto at = of_class(link);
    if (at == found.end() || parallel.count == 1 || link.link.statistics.bytes == 0) {
      continue;
    }
    if (known.insert(parallel.first).second) {
      at->links += parallel.count;
      at->idle += parallel.count;
    }
    --at->idle;
  }
  std::erase_if(found, [](const IdleParallelLinks& of) { return of.idle == 0; });
  return found;
}

std::optional<std::string> unexplained(const Machine& machine) {
  if (machine.engine->counts_links || !machine.engine->has_network) {
    return std::nullopt;
  }
  const std::optional<std::string> refusal = flow_refusal(machine);
  return with_fields(
      fmt::format("the engine {} does not report what delays messages; {}", machine.engine->name,
                  refusal ? fmt::format("only flow does, and it does not model {}", *refusal)
                          : std::string("use $engine=flow")));
}

void watch_run(Machine& machine, Watch watch) {
  if (machine.engine->counts_links && !machine.engine->needs_simgrid(machine) &&
      !machine.both_engines()) {
    machine.record = recorded_for(watch);
    machine.setup.watched =
        std::make_shared<const WatchList>(WatchList{.every_op = true, .ops = {}, .links = {}});
  }
}

Explanation explain(Simulation run, Watch watch) {
  TUTTI_INVARIANT(run.schedule.has_value());
  Explanation explanation;
  const Schedule& schedule = *run.schedule;
  const Machine& machine = run.result.machine;
  if (const auto why = unexplained(machine)) {
    throw UserError(*why);
  }
  const double start_s = run_starts_s(machine, schedule.problem().bytes);
  const OwnTimes nominal = nominal_times(run.result, schedule);
  const TimeAccount longest = account_of_longest_path(run, nominal);
  const std::vector<ChainStep>& chain = run.result.chain.steps;
  if (machine.engine->has_network) {
    std::vector<WatchedOp> ops = watched_of(chain);
    const bool recorded = is_recorded(run, ops, watch);
    if (watch == Watch::everything) {
      ops = everything(schedule, ops);
    }
    RunRecord record = recorded ? record_of(run, ops) : record_again(run, std::move(ops), watch);
    const auto messages = message_account(schedule, machine, record.flows);
    explanation.account = account_of(schedule, chain, record.flows.stretches, start_s,
                                     run.timeline.total_s, messages ? &*messages : nullptr);
    explanation.links = links_of(std::move(record.links), explanation.account);
    explanation.routes = std::move(record.routes);
    if (watch == Watch::everything) {
      explanation.stretches = std::move(record.flows.stretches);
    }
  } else {
    explanation.account = account_of(schedule, chain, nominal, start_s, run.timeline.total_s);
  }
  explanation.waterfall = waterfall(run.result, schedule, nominal, longest, explanation.account);
  explanation.slack = slack_of(schedule, run.timeline, machine.setup);
  explanation.run = std::move(run);
  return explanation;
}

std::vector<LoadCurve> load_curves(const Explanation& explanation) {
  std::vector<LoadCurve> curves(std::min(kMostLoadCurves, explanation.links.size()));
  if (curves.empty()) {
    return curves;
  }
  WatchList watched;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    curves[i].link = i;
    watched.links.push_back(explanation.links[i].link.statistics.link);
  }
  const EngineRun run = run_watched(explanation.run, watched, {});
  for (const LoadChange& change : run.record.loads) {
    const auto at = std::find(watched.links.begin(), watched.links.end(), change.link);
    TUTTI_INVARIANT(at != watched.links.end());
    curves[static_cast<std::size_t>(at - watched.links.begin())].values.emplace_back(change.at_s,
                                                                                     change.load);
  }
  return curves;
}

}}  // namespace tutti::simulation
