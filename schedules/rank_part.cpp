#include "schedules/rank_part.hpp"

#include <algorithm>
#include <utility>

#include "base/work_ticker.hpp"
#include "schedules/patterns/arithmetic.hpp"

namespace tutti { inline namespace schedules {

namespace {

bool alike(const RankPart& a, const RankPart& b) {
  const Schedule& x = a.schedule;
  const Schedule& y = b.schedule;
  if (x.size() != y.size() || x.dependencies() != y.dependencies() || a.targets != b.targets ||
      a.whole_dependencies != b.whole_dependencies) {
    return false;
  }
  for (OpId id = 0; id < x.size(); ++id) {
    const Op& one = x.op(id);
    const Op& other = y.op(id);
    if (one.kind() != other.kind() || one.bytes() != other.bytes() ||
        one.label() != other.label() || one.src() != other.src() || one.dst() != other.dst() ||
        !std::ranges::equal(x.predecessors(id), y.predecessors(id))) {
      return false;
    }
  }
  return true;
}

// Returns the ranks whose parts are compared with the part of rank 0. An emitter that treats some
// ranks differently mostly does so for the last rank, or for ranks around a power of two. Up to
// `most` more ranks are spread evenly.
std::vector<Rank> ranks_to_look_at(std::uint32_t p, std::size_t most) {
  std::vector<Rank> ranks{p - 1, p / 2, power_of_two_below(p) - 1};
  const std::size_t count = std::min<std::size_t>(most, p - 1);
  for (std::size_t i = 0; i < count; ++i) {
    ranks.push_back(static_cast<Rank>(1 + i * (p - 1) / count));
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::erase(ranks, 0U);
  return ranks;
}

}  // namespace

RankPart emit_part(const Algorithm& algorithm, const Problem& problem, ClassPart part,
                   std::uint32_t most_rounds) {
  const TickedWork ticked("making the schedule");
  check(algorithm, problem);
  ScheduleBuilder builder(problem, algorithm.layout(problem), part);
  builder.cut_to(algorithm.has_alike_rounds || algorithm.has_alike_rounds_in_part ? most_rounds
                                                                                  : kAllRounds);
  algorithm.emit(problem, builder);
  std::uint64_t dependencies = builder.whole_dependencies();
  std::vector<Rank> targets = builder.take_targets();
  Schedule schedule = builder.finish();
  for (const RepeatedRounds& stretch : schedule.repeated()) {
    dependencies += stretch.left_out * stretch.dependencies;
  }
  const std::uint64_t whole_dependencies = dependencies * part.classes.size();
  return {std::move(schedule), std::move(part.classes), std::move(targets), whole_dependencies};
}

std::optional<RankPart> make_rank_part(const Algorithm& algorithm, const Problem& problem,
                                       const RankSymmetry& symmetry, std::size_t ops) {
  const RankClasses all = RankClasses::largest(symmetry, problem.ranks);
  RankPart part = emit_part(algorithm, problem, {all});
  const std::size_t most = ops / (std::size_t{part.schedule.size()} + 1);
  const std::uint32_t distance = symmetry.distance;
  for (const Rank move : ranks_to_look_at(problem.ranks / distance, most)) {
    if (!alike(part, emit_part(algorithm, problem, {all, move * distance}))) {
      return std::nullopt;
    }
  }
  return part;
}

std::vector<std::vector<Rank>> distances(const RankPart& part) {
  const RankClasses& classes = part.classes;
  std::vector<std::vector<Rank>> of_class(classes.count());
  for (OpId id = 0; id < part.schedule.size(); ++id) {
    const Op& op = part.schedule.op(id);
    if (!op.is_comm() || op.src() >= part.schedule.ranks() || op.dst() >= part.schedule.ranks()) {
      continue;
    }
    const Rank distance =
        shift(classes.symmetry(), classes.first(op.src()), part.targets[id], classes.ranks());
    std::vector<Rank>& known = of_class[op.src()];
    if (known.empty() || known.back() != distance) {
      known.push_back(distance);
    }
  }
  for (std::vector<Rank>& known : of_class) {
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
  }
  return of_class;
}

}}  // namespace tutti::schedules
