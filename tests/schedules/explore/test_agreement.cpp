// Compares the proof with the exhaustive search: on hand-made examples, on random schedules, and on
// algorithms that are broken in several ways at once.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <random>
#include <string>

#include "schedules/registry.hpp"
#include "tests/schedules/explore/examples.hpp"
#include "tests/schedules/explore/judged_problem.hpp"
#include "tests/schedules/explore/places.hpp"
#include "tests/schedules/explore/proof.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::explore { namespace {

constexpr std::uint64_t kMaxStates = 20'000;

struct Tally {
  std::uint32_t wrong = 0;
  std::uint32_t forbidden = 0;
  std::uint32_t harmless = 0;
  std::uint32_t unknown = 0;
};

// Returns true if all ranks that get a block have combined its contributions in the same way,
// except that left and right operands may be swapped.
bool equal_on_all_ranks(const Draft& draft) {
  SearchOptions options;
  options.sameness = Sameness::commutative;
  const std::vector<Value> result = explore(draft, options).results.at(0);
  const Places places(draft);
  std::map<std::uint32_t, Value> of_block;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Demand& demand = places.demanded()[i].demand;
    if (demand.kind == Demand::Kind::prefix) {
      continue;  // every rank has a sum of its own
    }
    const auto [at, added] = of_block.try_emplace(demand.block, result[i]);
    if (at->second != result[i]) {
      return false;
    }
  }
  return true;
}

void agree(const Draft& draft, Tally& tally) {
  INFO(to_string(draft));
  const MutantVerdict judged = judge(draft, Sameness::commutative, kMaxStates);
  const Answer answer = ask(draft, {});
  INFO("judge: " << judged.why);
  INFO("proof: " << answer.why);
  switch (judged.judgement) {
    case Judgement::can_go_wrong:
      ++tally.wrong;
      CHECK(answer.refused);
      return;
    case Judgement::forbidden:
      ++tally.forbidden;
      CHECK(answer.refused);
      return;
    case Judgement::unknown:
      ++tally.unknown;
      return;
    case Judgement::harmless:
      break;
  }
  ++tally.harmless;
  CHECK_FALSE(answer.refused);
  if (reduces(draft.problem.collective) && draft.ranks() > 1 && !answer.refused) {
    const bool keeps_order =
        judge(draft, Sameness::ordered, kMaxStates).judgement == Judgement::harmless;
    const Verdict verdict = verify(schedule_of(draft));
    CHECK((verdict.order == OperandOrder::rank_order) == keeps_order);
    CHECK(verdict.bitwise_equal == equal_on_all_ranks(draft));
  }
}

// Checks that the proof reports a race exactly if the search does, whatever else is wrong with the
// draft.
void agree_on_races(const Draft& draft) {
  SearchOptions options;
  options.max_states = 0;
  const bool races = !explore(draft, options).races.empty();
  INFO(to_string(draft));
  CHECK((verify(schedule_of(draft)).count(FindingKind::race) > 0) == races);
}

TEST_CASE("proof and search agree on hand-written examples") {
  Tally tally;
  for (const Example& each : examples()) {
    INFO(each.name);
    agree(each.draft, tally);
    if (each.name == "a cycle") {
      CHECK_THROWS_AS(schedule_of(each.draft), UserError);
      continue;
    }
    agree_on_races(each.draft);
    if (each.ordered) {
      Claims claims;
      claims.keeps_order = reduces(each.draft.problem.collective);
      CHECK(ask(each.draft, claims).refused == (!each.safe || each.races));
    }
  }
  CHECK(tally.wrong > 15);
  CHECK(tally.harmless > 15);
  CHECK(tally.unknown == 0);
}

// Draws random numbers portably: the distributions of std differ between standard libraries.
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::mt19937 random_;
};

// Returns a random draft. Most operations come after all earlier ones that share a rank with them,
// and move blocks that are likely to be defined.
Draft random_draft(Draw& draw) {
  const Collective collective = kCollectives[draw.below(kCollectives.size())];
  const bool parts = owns_parts(collective) || collective == Collective::alltoall;
  const std::uint32_t ranks = 2 + draw.below(2);
  const Rank root = has_root(collective) ? draw.below(ranks) : 0;
  Draft made = empty_draft(collective, ranks,
                           collective == Collective::alltoallv ? ranks * ranks
                           : parts                             ? ranks
                                                               : 1 + draw.below(2),
                           root);
  const std::uint32_t size = 2 + draw.below(5);
  made.scratch_slots = 1;
  for (std::uint32_t id = 0; id < size; ++id) {
    const Rank rank = draw.below(ranks);
    const std::uint32_t block = draw.below(made.blocks());
    std::vector<BlockPair> pairs{{block, draw.one_in(6) ? draw.below(made.blocks()) : block}};
    if (made.blocks() > 1 && draw.one_in(3)) {
      pairs.push_back({draw.below(made.blocks()),
                       (pairs[0].into + 1 + draw.below(made.blocks() - 1)) % made.blocks()});
    }
    const Place into = draw.one_in(2) ? kScratch : kWork;
    switch (draw.below(4)) {
      case 0:
      case 1:
        made.comm(rank, (rank + 1 + draw.below(ranks - 1)) % ranks,
                  draw.one_in(8) ? kScratch : kWork, into, pairs);
        break;
      case 2:
        made.reduce(rank, kScratch, kWork, draw.one_in(2) ? Operand::left : Operand::right, pairs);
        break;
      default:
        made.copy(rank, draw.one_in(2) ? kScratch : kWork, into, pairs);
        break;
    }
    for (std::uint32_t other = 0; other < id; ++other) {
      if (made.ops[id].shares_rank(made.ops[other]) && !draw.one_in(4)) {
        made.ops[id].after.push_back(other);
      }
    }
  }
  return made;
}

void agree_on_random_schedules(std::uint32_t seed, int rounds) {
  Draw draw(seed);
  Tally tally;
  for (int round = 0; round < rounds; ++round) {
    const Draft made = random_draft(draw);
    agree(made, tally);
    agree_on_races(made);
  }
  fmt::print("random schedules: {} can go wrong, {} forbidden, {} harmless, {} unknown\n",
             tally.wrong, tally.forbidden, tally.harmless, tally.unknown);
  CHECK(tally.harmless > 100);
  CHECK(tally.unknown == 0);
}

TEST_CASE("proof and search agree on random schedules") { agree_on_random_schedules(7, 30'000); }

TEST_CASE("proof and search agree on random schedules, in a long run", "[slow]") {
  agree_on_random_schedules(8, 500'000);
}

// Applies two to four breaks in sequence. Most are dropped dependencies or swapped operands, which
// do the least harm.
Draft broken_further(Draft draft, Draw& draw) {
  const std::uint32_t times = 2 + draw.below(3);
  for (std::uint32_t i = 0; i < times; ++i) {
    std::vector<Break> all = breaks(draft);
    if (!draw.one_in(4)) {
      std::erase_if(all, [](const Break& what) {
        return what.kind != Break::Kind::drop_dependency && what.kind != Break::Kind::swap_operands;
      });
    }
    if (!all.empty()) {
      draft = apply(draft, all[draw.below(static_cast<std::uint32_t>(all.size()))]);
    }
  }
  return draft;
}

void agree_on_broken_algorithms(std::uint32_t seed, std::uint32_t rounds, std::uint32_t max_ranks) {
  Draw draw(seed);
  Tally tally;
  for (const Algorithm* algorithm : host_algorithms()) {
    for (std::uint32_t ranks = 2; ranks <= max_ranks; ++ranks) {
      const Problem problem = problem_of(*algorithm, ranks, 60);
      if (refuses(*algorithm, problem)) {
        continue;
      }
      INFO(algorithm->full_name());
      const Draft made = draft_of(make_schedule(*algorithm, judged_problem(*algorithm, problem)));
      for (std::uint32_t round = 0; round < rounds; ++round) {
        agree(broken_further(made, draw), tally);
      }
    }
  }
  fmt::print("several defects: {} can go wrong, {} forbidden, {} harmless, {} unknown\n",
             tally.wrong, tally.forbidden, tally.harmless, tally.unknown);
  CHECK(tally.wrong > 100);
  CHECK(tally.harmless > 100);
  CHECK(tally.unknown * 100 < tally.wrong);
}

TEST_CASE("proof and search agree on algorithms with several defects") {
  agree_on_broken_algorithms(1, 20, 5);
}

TEST_CASE("proof and search agree on algorithms with several defects, in a long run", "[slow]") {
  agree_on_broken_algorithms(2, 400, 6);
}

}}  // namespace tutti::explore
