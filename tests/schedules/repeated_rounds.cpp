// Tests that cut schedules (schedules/repeated_rounds.hpp) are those of the algorithm without some
// rounds: what each algorithm says to be alike must be so, and the rest must follow the last kept
// round as it follows the last of all.
#include "schedules/repeated_rounds.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "schedules/rank_part.hpp"
#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_repeated_rounds {

namespace {

constexpr std::uint32_t kKept = 3;

bool same(const Op& a, const Op& b) {
  return a.kind() == b.kind() && a.src() == b.src() && a.dst() == b.dst() && a.bytes() == b.bytes();
}

// Finds out where the operations of a cut schedule are in the whole one.
class Places {
 public:
  explicit Places(const Schedule& cut) : stretches_(cut.repeated()) {}

  // Id in the whole schedule of an operation as it is seen by `seen_by`, another operation of the
  // cut schedule: behind a stretch, its rounds are the last ones.
  [[nodiscard]] OpId of(OpId id, OpId seen_by) const {
    OpId moved = id;
    for (const RepeatedRounds& stretch : stretches_) {
      if (seen_by >= stretch.begin_of(stretch.kept) && id >= stretch.begin_of(1)) {
        moved += stretch.left_out * stretch.ops;
      }
    }
    return moved;
  }

 private:
  std::span<const RepeatedRounds> stretches_;
};

// Returns what is wrong with the cut schedule; "" if nothing is.
std::string fault(const Schedule& whole, const Schedule& cut, std::uint32_t kept = kKept) {
  const Places places(cut);
  OpId left_out = 0;
  for (const RepeatedRounds& stretch : cut.repeated()) {
    if (stretch.kept != kept || stretch.ops == 0) {
      return "the stretch has other rounds";
    }
    const OpId first = places.of(stretch.first, stretch.first);
    for (std::uint32_t round = 1; round < stretch.kept + stretch.left_out; ++round) {
      for (OpId i = 0; i < stretch.ops; ++i) {
        const OpId id = first + round * stretch.ops + i;
        if (!same(whole.op(id), whole.op(id - stretch.ops))) {
          return "an operation differs from that of the round before";
        }
        const OpIds before = whole.predecessors(id);
        const OpIds earlier = whole.predecessors(id - stretch.ops);
        if (round > 2 && !std::equal(before.begin(), before.end(), earlier.begin(), earlier.end(),
                                     [&](OpId a, OpId b) { return a == b + stretch.ops; })) {
          return "dependencies differ from those of the round before";
        }
      }
    }
    left_out += stretch.left_out * stretch.ops;
  }
  if (cut.size() + left_out != whole.size()) {
    return "the number of operations is wrong";
  }
  for (OpId id = 0; id < cut.size(); ++id) {
    const OpId at = places.of(id, id);
    const OpIds before = cut.predecessors(id);
    const OpIds of_whole = whole.predecessors(at);
    if (!same(cut.op(id), whole.op(at)) ||
        !std::equal(before.begin(), before.end(), of_whole.begin(), of_whole.end(),
                    [&](OpId a, OpId b) { return places.of(a, id) == b; })) {
      return "an operation of the cut schedule is not that of the whole";
    }
  }
  return "";
}

// Problems in which there are many rounds, both with equal blocks and with a rest.
std::vector<Problem> problems(const Algorithm& algorithm) {
  std::vector<Problem> all;
  for (const std::uint32_t ranks : {6U, 20U, 68U}) {
    for (const std::uint64_t elements : {36U * ranks, 36U * ranks + 7}) {
      const Problem problem = problem_of(algorithm.collective, ranks, elements);
      for (const Problem& variant : option_variants(algorithm, problem, {1, 5})) {
        if (!refuses(algorithm, variant)) {
          all.push_back(variant);
        }
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("every algorithm with alike rounds can be cut, and no other is") {
  for (const Algorithm* algorithm : algorithms()) {
    std::size_t cuts = 0;
    for (const Problem& problem : problems(*algorithm)) {
      const Schedule whole = make_schedule(*algorithm, problem, Detail::times_only);
      const Schedule cut = make_schedule(*algorithm, problem, Detail::times_only, kKept);
      CAPTURE(algorithm->full_name(), problem.ranks, problem.bytes, problem.segment_bytes);
      CHECK(fault(whole, cut) == "");
      cuts += cut.repeated().empty() ? 0 : 1;
    }
    CAPTURE(algorithm->full_name());
    CHECK((cuts > 0) == algorithm->has_alike_rounds);
  }
}

namespace {

// Returns what is wrong with the receivers in a cut part; "" if nothing is.
std::string fault_of_targets(const RankPart& whole, const RankPart& cut) {
  const Places places(cut.schedule);
  const Rank turn = whole.classes.count();
  for (OpId id = 0; id < cut.schedule.size(); ++id) {
    if (cut.targets[id] != whole.targets[places.of(id, id)]) {
      return "a receiver differs";
    }
  }
  for (const RepeatedRounds& stretch : cut.schedule.repeated()) {
    const OpId rounds = stretch.kept + stretch.left_out;
    for (OpId id = stretch.begin_of(1); id < stretch.first + rounds * stretch.ops; ++id) {
      const bool is_comm = whole.schedule.op(id).is_comm();
      if (is_comm && whole.targets[id] != whole.targets[id - stretch.ops] + turn) {
        return "a receiver is not the next one of its class";
      }
      if (is_comm && whole.targets[id] < turn) {
        return "a receiver is the first of its class";
      }
    }
  }
  return "";
}

}  // namespace

TEST_CASE("rounds of a part that are alike for other classes can be cut") {
  for (const Algorithm* algorithm : algorithms()) {
    std::size_t cuts = 0;
    for (const std::uint32_t count : {3U, 4U, 5U}) {
      const std::uint32_t ranks = 17 * count;
      const Problem problem = problem_of(algorithm->collective, ranks, 36 * ranks);
      if (algorithm->has_alike_rounds || refuses(*algorithm, problem) ||
          symmetry_of(*algorithm, problem).symmetry != Symmetry::rotation ||
          count % symmetry_of(*algorithm, problem).distance != 0) {
        continue;
      }
      RankClasses classes = RankClasses::turned(ranks, count);
      const RankPart whole = emit_part(*algorithm, problem, {classes});
      CHECK(emit_part(*algorithm, problem, {classes}, kKept).schedule.repeated().empty());
      classes.set_others_alike(true);
      const RankPart cut = emit_part(*algorithm, problem, {classes}, kKept);
      CAPTURE(algorithm->full_name(), ranks, count);
      CHECK(fault(whole.schedule, cut.schedule, 5) == "");
      CHECK(fault_of_targets(whole, cut) == "");
      CHECK(cut.whole_dependencies == whole.whole_dependencies);
      cuts += cut.schedule.repeated().empty() ? 0 : 1;
    }
    CAPTURE(algorithm->full_name());
    CHECK((cuts > 0) == algorithm->has_alike_rounds_in_part);
  }
}

namespace {

// A chain of rounds of which one, in the middle, sends more than the others.
void emit_with_fault(const Problem& problem, ScheduleBuilder& builder) {
  OpId last = kNoOp;
  for (const std::uint32_t round : builder.alike(problem.ranks, true)) {
    last = builder.comm({round}, 0, 1, {{0, round == 9 ? 2U : 1U}, kInput, kScratch},
                        std::array{last});
  }
}

}  // namespace

TEST_CASE("a round that is not like the others is found") {
  constexpr Algorithm kFaulty{
      .collective = Collective::allreduce,
      .name = "faulty",
      .idea = {},
      .source = {},
      .cost = {},
      .layout = [](const Problem& problem) { return layout_in_blocks(problem, 4); },
      .emit = emit_with_fault,
      .has_alike_rounds = true,
  };
  const Problem problem = problem_of(Collective::allreduce, 16, 64);
  const Schedule whole = make_schedule(kFaulty, problem, Detail::times_only);
  const Schedule cut = make_schedule(kFaulty, problem, Detail::times_only, kKept);
  CHECK(fault(whole, cut) == "an operation differs from that of the round before");
}

}  // namespace tutti::test_repeated_rounds
