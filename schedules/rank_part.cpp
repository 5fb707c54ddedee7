#include "schedules/rank_part.hpp"

#include <algorithm>
#include <utility>

#include "schedules/assemble.hpp"
#include "schedules/patterns/arithmetic.hpp"

namespace tutti {

namespace {

// The same operations, moved from `a`'s rank to `b`'s.
bool alike(const Schedule& a, Rank rank_of_a, const Schedule& b, Rank rank_of_b,
           Symmetry symmetry) {
  if (a.size() != b.size() || a.dependencies() != b.dependencies()) {
    return false;
  }
  for (OpId id = 0; id < a.size(); ++id) {
    const Op& x = a.op(id);
    const Op& y = b.op(id);
    if (x.kind() != y.kind() || x.bytes() != y.bytes() || x.label() != y.label() ||
        shift(symmetry, rank_of_a, x.dst(), a.ranks()) !=
            shift(symmetry, rank_of_b, y.dst(), b.ranks()) ||
        !std::ranges::equal(a.predecessors(id), b.predecessors(id))) {
      return false;
    }
  }
  return true;
}

Op between_two_ranks(const Op& op) {
  return {op.kind(), 0,         op.is_comm() ? 1U : 0U, op.bytes(), op.label(),
          op.from(), op.into(), op.from_is(),           false};
}

// Without the blocks, which no time depends on.
Schedule between_two_ranks(const Schedule& part) {
  ScheduleParts parts;
  parts.problem = part.problem();
  parts.problem.ranks = 2;
  parts.layout = part.layout();
  parts.ops.reserve(part.size());
  parts.rows.reserve(part.size() + std::size_t{1});
  parts.dependencies.reserve(part.dependencies());
  for (OpId id = 0; id < part.size(); ++id) {
    parts.ops.push_back(between_two_ranks(part.op(id)));
    const auto predecessors = part.predecessors(id);
    parts.dependencies.insert(parts.dependencies.end(), predecessors.begin(), predecessors.end());
    parts.rows.push_back(static_cast<std::uint32_t>(parts.dependencies.size()));
  }
  return link(std::move(parts), part.scratch_slots());
}

}  // namespace

EmittedPart emit_part(const Algorithm& algorithm, const Problem& problem, OnePart part) {
  check(algorithm, problem);
  ScheduleBuilder builder(problem, algorithm.layout(problem), part);
  algorithm.emit(problem, builder);
  const std::uint64_t whole_dependencies = builder.whole_dependencies();
  return {builder.finish(), whole_dependencies};
}

std::optional<RankPart> make_rank_part(const Algorithm& algorithm, const Problem& problem,
                                       Symmetry symmetry) {
  const std::uint32_t p = problem.ranks;
  const EmittedPart part = emit_part(algorithm, problem, {symmetry, 0});
  // Where an emitter treats ranks apart it is mostly the last one, or those on both sides of a
  // power of two.
  for (const Rank rank : {p - 1, p / 2, power_of_two_below(p) - 1}) {
    const EmittedPart other = emit_part(algorithm, problem, {symmetry, rank});
    if (other.whole_dependencies != part.whole_dependencies ||
        !alike(part.schedule, 0, other.schedule, rank, symmetry)) {
      return std::nullopt;
    }
  }
  return RankPart{between_two_ranks(part.schedule), symmetry, p, part.whole_dependencies * p};
}

}  // namespace tutti
