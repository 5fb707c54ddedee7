#include "sim/mpi/plan/rank_plan.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "base/rows.hpp"

namespace tutti::mpi {

namespace {

Role role_of(const Op& op, Rank rank) {
  switch (op.kind()) {
    case OpKind::comm:
      return op.src() == rank ? Role::send : Role::receive;
    case OpKind::reduce:
      return Role::reduce;
    case OpKind::copy:
      break;
  }
  return Role::copy;
}

// Returns the step of operation `id` among the steps found so far, or kNoStep if the operation does
// not involve the rank.
Step step_of(const RankPlan& plan, OpId id) {
  const auto at =
      std::lower_bound(plan.entries.begin(), plan.entries.end(), id,
                       [](const RankPlan::Entry& entry, OpId wanted) { return entry.id < wanted; });
  return at != plan.entries.end() && at->id == id ? static_cast<Step>(at - plan.entries.begin())
                                                  : kNoStep;
}

}  // namespace

RankPlan plan_of(const Schedule& schedule, Rank rank, std::uint64_t tags) {
  TUTTI_INVARIANT(tags > 0);
  tags = std::min<std::uint64_t>(tags, std::numeric_limits<int>::max());
  RankPlan plan;
  // Steps of the messages with each peer and in each direction, in id order.
  std::unordered_map<std::uint64_t, std::vector<Step>> posted;
  std::vector<std::pair<Step, Step>> edges;
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (!op.touches(rank)) {
      continue;
    }
    RankPlan::Entry entry;
    entry.id = id;
    entry.role = role_of(op, rank);
    const Step step = plan.size();
    for (const OpId before : schedule.predecessors(id)) {
      if (schedule.op(before).touches(rank)) {
        edges.emplace_back(step_of(plan, before), step);
        ++entry.waits_for;
      }
    }
    if (op.is_comm()) {
      const bool sends = entry.role == Role::send;
      entry.peer = sends ? op.dst() : op.src();
      std::vector<Step>& channel = posted[std::uint64_t{entry.peer} * 2 + (sends ? 1 : 0)];
      const std::uint64_t number = channel.size();
      entry.tag = static_cast<int>(number % tags);
      if (number >= tags) {
        plan.entries[channel[number - tags]].opens = step;
        ++entry.waits_for;
      }
      channel.push_back(step);
    }
    plan.entries.push_back(entry);
  }
  sort_into_rows(plan.entries.size(), plan.rows, plan.successor_steps, [&](const auto& add) {
    for (const auto& [before, after] : edges) {
      add(before, after);
    }
  });
  return plan;
}

}  // namespace tutti::mpi
