#include "src/simulation/recording/recording.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "src/simulation/dependency_gates.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace simulation {

namespace {

void add(RecordedOps& ops, const Op& op, std::uint32_t ranks_per_group, double ready_s,
         double start_s, double end_s) {
  ops.kind.push_back(static_cast<std::uint8_t>(op.kind()));
  ops.src.push_back(op.src() / ranks_per_group);
  ops.dst.push_back(op.dst() / ranks_per_group);
  ops.bytes.push_back(op.bytes());
  ops.round.push_back(op.label().level);
  ops.ready_s.push_back(ready_s);
  ops.start_s.push_back(start_s);
  ops.end_s.push_back(end_s);
}

// Returns a function for the time at which an operation was ready, because its predecessors were
// done.
auto readiness(const Simulation& run) {
  const RunSetup& setup = run.result.machine.setup;
  return
      [gates = DependencyGates(*run.schedule, run.timeline, setup.eager_bytes),
       &timeline = run.timeline, run_starts_s = setup.curves ? setup.curves->start_s : 0](OpId id) {
        const DependencyGates::Gate gate = gates.start_gate(id);
        return std::min(gate.op == kNoOp ? run_starts_s : gate.at_s, timeline.start_s[id]);
      };
}

// Computes from the stretches of the run how much time links cost each message, and stores it in
// `ops`.
void put_losses(RecordedOps& ops, const Explanation& explanation) {
  ops.held_by.assign(ops.size(), kNoLink);
  ops.lost_s.assign(ops.size(), 0);
  std::unordered_map<std::uint32_t, std::uint32_t> position;
  for (std::uint32_t i = 0; i < explanation.links.size(); ++i) {
    position[explanation.links[i].link.statistics.link] = i;
  }
  // Loss of an operation on a link in one stretch; summed below over all stretches with the same
  // operation and link.
  struct Loss {
    OpId id;
    std::uint32_t link;
    double lost_s;
  };
  std::vector<Loss> losses;
  for (const FlowStretch& stretch : explanation.stretches) {
    if (stretch.link != kNoLink && stretch.link < FlowRecord::kCoresOfHost) {
      losses.push_back(
          {stretch.id, stretch.link, stretch.until_s - stretch.from_s - stretch.moving_s});
    }
  }
  std::stable_sort(losses.begin(), losses.end(), [](const Loss& a, const Loss& b) {
    return std::tie(a.id, a.link) < std::tie(b.id, b.link);
  });
  std::vector<double> most_s(ops.size());
  for (std::size_t i = 0; i < losses.size();) {
    const OpId id = losses[i].id;
    const std::uint32_t link = losses[i].link;
    double lost_s = 0;
    for (; i < losses.size() && losses[i].id == id && losses[i].link == link; ++i) {
      lost_s += losses[i].lost_s;
    }
    ops.lost_s[id] += lost_s;
    if (lost_s > most_s[id]) {
      most_s[id] = lost_s;
      ops.held_by[id] = position.at(link);
    }
  }
}

RecordedOps each_op(const Explanation& explanation) {
  const Schedule& schedule = *explanation.run.schedule;
  const Timeline& timeline = explanation.run.timeline;
  const auto ready_s = readiness(explanation.run);
  RecordedOps ops;
  for (OpId id = 0; id < schedule.size(); ++id) {
    add(ops, schedule.op(id), 1, ready_s(id), timeline.start_s[id], timeline.end_s[id]);
  }
  put_losses(ops, explanation);
  return ops;
}

// Key of the entry into which merged() puts an operation of a schedule, if a group has
// `ranks_per_group` ranks.
std::uint64_t entry_key(const Op& op, Rank ranks, std::uint32_t ranks_per_group) {
  const std::uint64_t groups = (ranks - 1) / ranks_per_group + 1;
  const std::uint64_t pair = op.src() / ranks_per_group * groups + op.dst() / ranks_per_group;
  return (op.label().level * groups * groups + pair) * 3 + static_cast<std::uint64_t>(op.kind());
}

// Merges operations into one entry for each round, pair of groups, and kind of operation.
RecordedOps merged(const Explanation& explanation, std::uint32_t ranks_per_group) {
  const Schedule& schedule = *explanation.run.schedule;
  const Timeline& timeline = explanation.run.timeline;
  const auto ready_s = readiness(explanation.run);
  RecordedOps ops;
  std::unordered_map<std::uint64_t, std::uint32_t> entry_of;
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const auto [at, is_new] = entry_of.try_emplace(entry_key(op, schedule.ranks(), ranks_per_group),
                                                   static_cast<std::uint32_t>(ops.size()));
    if (is_new) {
      add(ops, op, ranks_per_group, ready_s(id), timeline.start_s[id], timeline.end_s[id]);
      ops.count.push_back(1);
      continue;
    }
    const std::uint32_t entry = at->second;
    ops.bytes[entry] += op.bytes();
    ops.ready_s[entry] = std::min(ops.ready_s[entry], ready_s(id));
    ops.start_s[entry] = std::min(ops.start_s[entry], timeline.start_s[id]);
    ops.end_s[entry] = std::max(ops.end_s[entry], timeline.end_s[id]);
    ++ops.count[entry];
  }
  ops.held_by.assign(ops.size(), kNoLink);
  ops.lost_s.assign(ops.size(), 0);
  return ops;
}

// Returns the number of entries that merged() makes if a group has `ranks_per_group` ranks. Stops
// counting above `enough`.
std::size_t entries(const Schedule& schedule, std::uint32_t ranks_per_group, std::size_t enough) {
  std::unordered_set<std::uint64_t> keys;
  for (const Op& op : schedule.ops()) {
    keys.insert(entry_key(op, schedule.ranks(), ranks_per_group));
    if (keys.size() > enough) {
      break;
    }
  }
  return keys.size();
}

}  // namespace

Recording record(Simulation run, const RecordingLimits& limits) {
  if (run.schedule->switches() > 0) {
    throw UserError(
        "switches take part in the schedule, but a recording shows only ranks; use $timeline or "
        "$explain");
  }
  Recording recording;
  const bool small = run.schedule->size() <= limits.most_ops;
  recording.explanation = explain(std::move(run), small ? Watch::everything : Watch::routes);
  const Explanation& explanation = recording.explanation;
  const Schedule& schedule = *explanation.run.schedule;
  if (small) {
    recording.ops = each_op(explanation);
  } else {
    constexpr std::uint32_t kGroups = 128;
    std::uint32_t& size = recording.ranks_per_group;
    size = (schedule.ranks() - 1) / kGroups + 1;
    while (size < schedule.ranks() &&
           entries(schedule, size, limits.most_entries) > limits.most_entries) {
      size *= 2;
    }
    recording.ops = merged(explanation, size);
  }
  if (explanation.run.result.machine.engine->has_network) {
    constexpr std::size_t kMostRoutes = 50'000;
    recording.network =
        drawn_network(explanation, platform_shape(explanation.run.result.machine), kMostRoutes);
  }
  return recording;
}

Recording record_with_improvements(Simulation run, const Machine& machine) {
  constexpr OpId kMostOps = 100'000;
  Recording recording = record(std::move(run));
  const Simulation& done = recording.explanation.run;
  recording.explanation.limit = limit_gap(done, recording.explanation.account, false);
  if (done.schedule->size() <= kMostOps) {
    Machine on = machine;
    on.library_work = done.result.machine.library_work;
    recording.explanation.improvements = what_would_help(done, on, &recording.explanation.account);
  }
  return recording;
}

}}  // namespace tutti::simulation
