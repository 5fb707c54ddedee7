// Tests the tool that breaks schedules, and the comparison between judge and proof.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>

#include "schedules/registry.hpp"
#include "tests/schedules/explore/examples.hpp"
#include "tests/schedules/explore/mutants.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::explore { namespace {

Draft emitted(std::string_view algorithm, std::uint32_t ranks) {
  const Algorithm& named = algorithm_named(algorithm);
  return draft_of(make_schedule(named, problem_of(named.collective, ranks, 60)));
}

std::size_t count(const std::vector<Break>& all, Break::Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Break& what) { return what.kind == kind; }));
}

TEST_CASE("mutants: all mutants of recursive doubling on 2 ranks are made") {
  // The draft has 2 messages, 2 reductions that come after both messages, 1 block and 1 scratch
  // slot.
  const Draft made = emitted("allreduce/recursive_doubling", 2);
  const std::vector<Break> all = breaks(made);
  using Kind = Break::Kind;
  CHECK(count(all, Kind::drop_dependency) == 4);
  CHECK(count(all, Kind::drop_operation) == 8);
  CHECK(count(all, Kind::swap_operands) == 2);
  CHECK(count(all, Kind::shift_blocks) == 0);
  CHECK(count(all, Kind::shift_slot) == 0);
  CHECK(count(all, Kind::duplicate_reduction) == 4);
  CHECK(count(all, Kind::redirect_message) == 0);
  for (const Break& what : all) {
    INFO(describe(made, what));
    CHECK(judge(apply(made, what), Sameness::ordered, 1000).judgement == Judgement::can_go_wrong);
    // If operands commute, swapping them is the only break that does no harm.
    CHECK((judge(apply(made, what), Sameness::commutative, 1000).judgement ==
           Judgement::harmless) == (what.kind == Kind::swap_operands));
  }
}

TEST_CASE("mutants: each is different from the schedule and from all others") {
  const Draft made = emitted("allreduce/ring", 4);
  std::set<std::string> texts{to_string(made)};
  std::size_t same = 0;
  for (const Break& what : breaks(made)) {
    // If an operation has no successor, there is none that could inherit its dependencies, so both
    // ways to drop the operation give the same draft.
    same += texts.insert(to_string(apply(made, what))).second ? 0 : 1;
  }
  std::size_t last = 0;
  for (std::uint32_t id = 0; id < made.ops.size(); ++id) {
    last += std::none_of(made.ops.begin(), made.ops.end(), [&](const DraftOp& op) {
      return std::find(op.after.begin(), op.after.end(), id) != op.after.end();
    });
  }
  // Both ways also give the same draft if the dropped operation has no predecessor.
  const auto first = static_cast<std::size_t>(std::count_if(
      made.ops.begin(), made.ops.end(), [](const DraftOp& op) { return op.after.empty(); }));
  CHECK(same == last + first);
}

TEST_CASE("mutants: dropping an operation keeps the order of the rest") {
  Draft made = empty_draft(Collective::bcast, 4, 1);
  const auto a = made.comm(0, 1, kWork, kWork, {{0, 0}});
  const auto b = made.comm(1, 2, kWork, kWork, {{0, 0}}, {a});
  const auto c = made.comm(2, 3, kWork, kWork, {{0, 0}}, {b});
  const auto d = made.comm(1, 3, kWork, kScratch, {{0, 0}}, {b, c});
  REQUIRE(d == 3);
  const Draft bare = apply(made, {Break::Kind::drop_operation, b, 0});
  REQUIRE(bare.ops.size() == 3);
  CHECK(bare.ops[1].after.empty());
  CHECK(bare.ops[2].after == std::vector<std::uint32_t>{1});
  // Operation d shares rank 1 with a; c shares no rank with a.
  const Draft bridged = apply(made, {Break::Kind::drop_operation, b, 1});
  CHECK(bridged.ops[1].after.empty());
  CHECK(bridged.ops[2].after == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("mutants: a redirected message loses the dependencies that share no rank") {
  const Draft made = emitted("allreduce/ring", 4);
  std::size_t kept = 0;
  for (const Break& what : breaks(made)) {
    const Draft broken = apply(made, what);
    if (what.kind == Break::Kind::redirect_message) {
      const DraftOp& before = made.ops[what.op];
      const DraftOp& now = broken.ops[what.op];
      CHECK((before.src != now.src) + (before.dst != now.dst) == 1);
      kept += what.detail >= 2 ? 1 : 0;
      CHECK(malformed(broken).has_value() == (what.detail >= 2));
    } else {
      CHECK(malformed(broken) == std::nullopt);
    }
  }
  CHECK(kept > 0);
}

TEST_CASE("mutants: the comparison fails if the proof accepts or refuses everything") {
  const Draft made = emitted("allreduce/ring", 3);
  MutationOptions options;
  options.sameness = Sameness::commutative;
  const auto run = [&](bool refused, std::string_view sentence) {
    std::size_t printed = 0;
    const Score score = compare(
        made, options,
        [&](const Draft&) {
          return Answer{refused, ""};
        },
        [&](const std::string& text) { printed += text.find(sentence) != std::string::npos; });
    CHECK_FALSE(score.perfect());
    CHECK(printed == (refused ? score.harmless - score.proved : score.harmful - score.caught));
    return score;
  };
  const Score believes = run(false, "not caught");
  CHECK(believes.caught == 0);
  CHECK(believes.proved == believes.harmless);
  const Score doubts = run(true, "refused, though harmless");
  CHECK(doubts.proved == 0);
  CHECK(doubts.caught == doubts.harmful);
  CHECK(doubts.harmful > 0);
  CHECK(doubts.harmless > 0);
}

TEST_CASE("mutants: the comparison fails if changed claims are not reported") {
  // The second message is redundant: dropping it does no harm, but leaves one message less.
  Draft made = empty_draft(Collective::barrier, 2, 1);
  made.comm(0, 1, kWork, kScratch, {{0, 0}});
  made.comm(0, 1, kWork, kScratch, {{0, 0}});
  made.comm(1, 0, kWork, kScratch, {{0, 0}});
  const MutationOptions options;
  for (const bool reports : {false, true}) {
    const Score score = compare(
        made, options,
        [&](const Draft& broken) {
          const bool wrong =
              judge(broken, options.sameness, 1000).judgement == Judgement::can_go_wrong;
          return Answer{wrong, "", reports};
        },
        [](const std::string&) {});
    // Each of the first two messages may be dropped in two ways.
    CHECK(score.changed == 4);
    CHECK(score.reported == (reports ? 4 : 0));
    CHECK(score.perfect() == reports);
  }
}

}}  // namespace tutti::explore
