// Checks the schedules against the theorems of Träff's paper ("Optimal, Non-pipelined
// Reduce-scatter and Allreduce Algorithms", 2024, revised 2025). The order of summation for p = 22
// is in verify_order.cpp.
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/schedules/symbolic_replay.hpp"

namespace tutti::test_theorems {

namespace {

constexpr std::uint32_t kMostRanksTried = 512;
constexpr Prices kPrices{1.7e-6, 0.93e-9, 0.31e-9, 0};

Schedule circulant(Collective collective, std::uint32_t p, const std::string& skips,
                   std::uint64_t elements, Detail detail = Detail::times_only) {
  Problem problem = problem_of(collective, p, elements);
  problem.skips = parse_skips(skips);
  return make_schedule(algorithm_named(std::string(name(collective)) + "/circulant"), problem,
                       detail);
}

double engine_s(const Schedule& schedule, const Prices& prices = kPrices) {
  return CriticalPathEngine(prices).run(schedule, {}).total_s;
}

// Numbers of blocks that one rank sends, receives and reduces. The vectors have p elements, so that
// each block is one element.
struct Volume {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t reduced = 0;
  friend bool operator==(const Volume&, const Volume&) = default;
};

std::vector<Volume> volumes(const Schedule& schedule) {
  std::vector<Volume> ranks(schedule.ranks());
  for (const Op& op : schedule.ops()) {
    const std::uint64_t blocks = op.bytes() / schedule.problem().element_bytes;
    if (op.is_comm()) {
      ranks[op.src()].sent += blocks;
      ranks[op.dst()].received += blocks;
    } else if (op.kind() == OpKind::reduce) {
      ranks[op.rank()].reduced += blocks;
    }
  }
  return ranks;
}

bool all_ranks_move(const Schedule& schedule, const Volume& wanted) {
  const auto ranks = volumes(schedule);
  return std::all_of(ranks.begin(), ranks.end(), [&](const Volume& v) { return v == wanted; });
}

// Returns the number of rounds in the cost formula for this scheme of skips on p ranks.
std::uint32_t rounds_of(const std::string& skips, std::uint32_t p) {
  if (skips == "linear") {
    return p - 1;
  }
  if (skips == "sqrt") {
    std::uint32_t c = 1;
    while (c * c < p) {
      ++c;
    }
    const std::uint32_t whole = (p + c - 1) / c;  // ceil(p/c)
    const std::uint32_t k = whole > 2 ? whole - 2 : 0;
    return k + ceil_log2(p - k * c);
  }
  return ceil_log2(p);
}

// Returns true if the schedule is too large to try: with linear skips it has p^2 operations.
bool too_many_ops(const std::string& skips, std::uint32_t p) {
  return skips == "linear" && p > 128 && p < kMostRanksTried - 1;
}

// Returns how a plan breaks the invariant of the paper's proof, or "" if it does not. The rounds of
// the plan are the same for all ranks. The invariant is: each block is sent at most once; if a
// block is added to another, no contribution is in both; and at the end block 0, which the paper
// calls W, contains all p contributions.
std::string forest_fault(const std::vector<CirculantRound>& plan, std::uint32_t p) {
  std::vector<std::vector<bool>> tree(p, std::vector<bool>(p));
  std::vector<bool> sent(p);
  for (std::uint32_t i = 0; i < p; ++i) {
    tree[i][i] = true;
  }
  for (const CirculantRound& round : plan) {
    const auto before = tree;
    std::string fault;
    for_each_index(round, [&](std::uint32_t i) {
      if (i < round.skip || sent[i]) {
        fault = fmt::format("block {} is sent again", i);
        return;
      }
      sent[i] = true;
      for (std::uint32_t from = 0; from < p; ++from) {
        if (before[i][from] && tree[i - round.skip][from]) {
          fault = fmt::format("contribution {} is counted twice", from);
        }
        tree[i - round.skip][from] = tree[i - round.skip][from] || before[i][from];
      }
    });
    if (!fault.empty()) {
      return fault;
    }
    for (std::uint32_t i = 0; i < p; ++i) {
      // A contribution that is added to a block after the block was sent is lost.
      if (sent[i] && tree[i] != before[i]) {
        return fmt::format("block {} has been sent, so what it receives is lost", i);
      }
    }
  }
  return std::count(tree[0].begin(), tree[0].end(), true) == p ? "" : "W lacks a contribution";
}

std::vector<std::uint32_t> members(std::uint32_t mask, std::uint32_t p) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t skip = p - 1; skip > 0; --skip) {
    if ((mask >> (skip - 1) & 1U) != 0) {
      list.push_back(skip);
    }
  }
  return list;
}

// Returns the smallest i with 0 < i < p that is not a sum of different members of `list`, or p if
// there is no such i. Tries every subset of `list`.
std::uint32_t first_that_is_no_sum(const std::vector<std::uint32_t>& list, std::uint32_t p) {
  std::vector<bool> is_sum(p);
  for (std::uint32_t subset = 0; subset < 1U << list.size(); ++subset) {
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      sum += (subset >> k & 1U) != 0 ? list[k] : 0;
    }
    if (sum < p) {
      is_sum[sum] = true;
    }
  }
  std::uint32_t i = 1;
  while (i < p && is_sum[i]) {
    ++i;
  }
  return i;
}

}  // namespace

TEST_CASE("Theorems 1 and 2: rounds and blocks of the reduce-scatter and the allreduce, p to 512") {
  for (const std::string skips : {"halving", "doubling", "linear", "sqrt"}) {
    for (std::uint32_t p = 1; p <= kMostRanksTried; ++p) {
      if (too_many_ops(skips, p)) {
        continue;
      }
      INFO(skips << " p=" << p);
      const Schedule scattered = circulant(Collective::reduce_scatter, p, skips, p);
      REQUIRE(scattered.rounds() == rounds_of(skips, p));
      REQUIRE(all_ranks_move(scattered, {p - 1, p - 1, p - 1}));
      const Schedule reduced = circulant(Collective::allreduce, p, skips, p);
      REQUIRE(reduced.rounds() == 2 * rounds_of(skips, p));
      REQUIRE(all_ranks_move(reduced, {2 * (p - 1), 2 * (p - 1), p - 1}));
    }
  }
}

TEST_CASE("the proof's spanning forest: every contribution reaches W once, for p up to 512") {
  for (const std::string skips : {"halving", "doubling", "linear", "sqrt"}) {
    for (std::uint32_t p = 1; p <= kMostRanksTried; p += p < 130 || skips == "halving" ? 1 : 41) {
      INFO(skips << " p=" << p);
      if (skips == "linear" && p > 130) {
        break;  // linear skips take too long, because there are as many rounds as ranks
      }
      REQUIRE(forest_fault(circulant_rounds(circulant_skips(parse_skips(skips), p), p), p) == "");
    }
  }
}

TEST_CASE(
    "Corollary 1: the time of the reduce-scatter, and the copy at its start, for p up to 512") {
  Prices with_copy = kPrices;
  with_copy.copy_s_per_byte = kPrices.gamma_s_per_byte;
  for (const std::string skips : {"halving", "doubling"}) {
    for (std::uint32_t p = 1; p <= kMostRanksTried; ++p) {
      INFO(skips << " p=" << p);
      const std::uint64_t elements = 3 * std::uint64_t{p};
      const double m = 8.0 * static_cast<double>(elements);
      const double share = m * (p - 1) / p;
      const double time_s = kPrices.alpha_s * ceil_log2(p) + kPrices.beta_s_per_byte * share +
                            kPrices.gamma_s_per_byte * share;
      const Schedule schedule = circulant(Collective::reduce_scatter, p, skips, elements);
      REQUIRE(engine_s(schedule) == Approx(time_s).epsilon(1e-12).margin(1e-20));
      const double copied_s = engine_s(schedule, with_copy);
      REQUIRE(copied_s - time_s <= kPrices.gamma_s_per_byte * m * (1 + 1e-9));
      REQUIRE(copied_s == Approx(time_s + kPrices.gamma_s_per_byte * m).epsilon(1e-12));
      const Algorithm& algorithm = algorithm_named("reduce_scatter/circulant");
      REQUIRE(*algorithm.exact_s(schedule.problem(), with_copy) == Approx(copied_s).epsilon(1e-12));
    }
  }
}

TEST_CASE("no message has a run of more than ceil(p/2) blocks, and --copies half copies no more") {
  Prices with_copy = kPrices;
  with_copy.copy_s_per_byte = kPrices.gamma_s_per_byte;
  for (const Collective collective : {Collective::reduce_scatter, Collective::allreduce}) {
    const Algorithm& algorithm = algorithm_named(std::string(name(collective)) + "/circulant");
    for (const std::string skips : {"halving", "doubling", "linear", "sqrt"}) {
      for (std::uint32_t p = 1; p <= 130; ++p) {
        INFO(name(collective) << ' ' << skips << " p=" << p);
        Problem problem = problem_of(collective, p, p);
        problem.skips = parse_skips(skips);
        problem.copies = Copies::half;
        const Schedule schedule = make_schedule(algorithm, problem, Detail::times_only);
        std::vector<std::uint64_t> copied(p);
        std::uint64_t longest = 0;
        for (const Op& op : schedule.ops()) {
          if (op.kind() == OpKind::copy) {
            copied[op.rank()] += op.bytes() / problem.element_bytes;
          } else if (op.is_comm()) {
            longest = std::max(longest, op.bytes() / problem.element_bytes);
          }
        }
        // The p - first_skip blocks that the first round sends are not copied.
        const std::uint32_t first_skip = p == 1 ? 1 : circulant_skips(problem.skips, p).front();
        REQUIRE(std::all_of(copied.begin(), copied.end(),
                            [&](std::uint64_t blocks) { return blocks == first_skip; }));
        if (skips == "halving") {
          REQUIRE(longest <= (p + 1) / 2);
          REQUIRE(first_skip == (p + 1) / 2);
        }
        REQUIRE(*algorithm.exact_s(problem, with_copy) ==
                Approx(engine_s(schedule, with_copy)).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("half of the copies: only blocks that scattered skips do not send first are copied") {
  Problem problem = problem_of(Collective::reduce_scatter, 7, 7);
  problem.skips = parse_skips("3,2,1");
  problem.copies = Copies::half;
  const Schedule schedule = make_schedule(algorithm_named("reduce_scatter/circulant"), problem);
  CHECK(verify(schedule).proved());
  std::uint64_t copied = 0;
  std::uint64_t sent_first = 0;
  for (const Op& op : schedule.ops()) {
    copied += op.kind() == OpKind::copy ? op.bytes() : 0;
    sent_first += op.is_comm() && op.label().level == 0 ? op.bytes() : 0;
  }
  CHECK(copied + sent_first == 7 * problem.bytes);
}

TEST_CASE("the pipelined reduce-scatter: rounds, blocks, and times that are linear in m") {
  const Algorithm& algorithm = algorithm_named("reduce_scatter/circulant_blocks");
  std::mt19937 random(20240726);
  for (std::uint32_t p = 1; p <= 130; ++p) {
    for (const std::uint32_t pieces : {1U, 2U, 5U}) {
      INFO("p=" << p << " pieces=" << pieces);
      Problem problem = problem_of(Collective::reduce_scatter, p, std::uint64_t{p} * pieces);
      problem.segment_bytes = problem.element_bytes;
      const Schedule schedule = make_schedule(algorithm, problem, Detail::times_only);
      REQUIRE(schedule.rounds() == (p == 1 ? 0 : pieces - 1 + ceil_log2(p)));
      const std::uint64_t moved = std::uint64_t{p - 1} * pieces;
      REQUIRE(all_ranks_move(schedule, {moved, moved, moved}));
    }
  }
  // With blocks of any size, each round sends at most one piece of each block.
  for (const std::uint32_t p : {2U, 3U, 5U, 16U, 33U, 64U}) {
    for (const bool in_one_block : {true, false}) {
      INFO("p=" << p << " in one block: " << in_one_block);
      Problem problem = problem_of(Collective::reduce_scatter, p, 0);
      std::vector<std::uint64_t> blocks(p, 0);
      if (in_one_block) {
        blocks[random() % p] = 1U << 17U;
      } else {
        std::generate(blocks.begin(), blocks.end(), [&] { return random() % 5000; });
      }
      for (std::uint64_t& block : blocks) {
        block *= problem.element_bytes;
        problem.bytes += block;
      }
      problem.block_bytes = blocks;
      const Schedule schedule = make_schedule(algorithm, problem, Detail::times_only);
      const double m = static_cast<double>(problem.bytes);
      const double pieces = schedule.rounds() + 1.0 - ceil_log2(p);
      const double per_byte_s = kPrices.beta_s_per_byte + kPrices.gamma_s_per_byte;
      const double round_s =
          kPrices.alpha_s + (m / pieces + p * problem.element_bytes) * per_byte_s;
      const double seconds = engine_s(schedule);
      REQUIRE(seconds <= schedule.rounds() * round_s);
      if (in_one_block && p > 2) {
        // In this case the paper's Algorithm 1 sends all m bytes in every round.
        REQUIRE(seconds < engine_s(make_schedule(algorithm_named("reduce_scatter/circulant"),
                                                 problem, Detail::times_only)));
      }
    }
  }
}

TEST_CASE(
    "Corollary 2: every list of skips up to 12 ranks is right, or refused with its first gap") {
  const Algorithm& algorithm = algorithm_named("reduce_scatter/circulant");
  std::size_t served = 0;
  for (std::uint32_t p = 2; p <= 12; ++p) {
    for (std::uint32_t mask = 1; mask < 1U << (p - 1); ++mask) {
      const auto list = members(mask, p);
      Problem problem = problem_of(Collective::reduce_scatter, p, p);
      problem.skips = {Skips::Scheme::list, list};
      INFO("p=" << p << " skips=" << to_text(problem.skips));
      const std::uint32_t gap = first_that_is_no_sum(list, p);
      if (gap < p) {
        REQUIRE_THROWS_AS(make_schedule(algorithm, problem), UserError);
        REQUIRE_THROWS_WITH(make_schedule(algorithm, problem),
                            Catch::Contains(fmt::format(": {} is not a sum of different", gap)));
        continue;
      }
      ++served;
      const Schedule schedule = make_schedule(algorithm, problem);
      REQUIRE(contract_fault(schedule).value_or("") == "");
      REQUIRE(schedule.rounds() <= list.size());
      REQUIRE(all_ranks_move(schedule, {p - 1, p - 1, p - 1}));
      REQUIRE(forest_fault(circulant_rounds(list, p), p) == "");
    }
  }
  CHECK(served == 722);  // of the 4083 lists that were tried
}

TEST_CASE("contiguous ranges lose contributions for 7 ranks and skips 3, 2, 1") {
  // Corollary 2's condition holds. But the first round sends the 4 blocks 3 to 6 over skip 3, so
  // block 3 is sent and receives block 6 in the same round.
  REQUIRE(first_that_is_no_sum({3, 2, 1}, 7) == 7);
  const std::vector<CirculantRound> ranges{{3, 3, 4, {}}, {2, 2, 1, {}}, {1, 1, 1, {}}};
  CHECK(forest_fault(ranges, 7) == "block 3 has been sent, so what it receives is lost");
  const Problem problem = problem_of(Collective::reduce_scatter, 7, 7);
  ScheduleBuilder builder(problem, 7);
  Rounds rounds(builder);
  emit_circulant_reduce_scatter(problem, rounds, ranges);
  CHECK(contract_fault(builder.finish()).value_or("") ==
        "at the end block 0 of rank 0 lacks the input of rank 1");
  // The plan of circulant_rounds() sends block 6 in a later round.
  CHECK(forest_fault(circulant_rounds({3, 2, 1}, 7), 7) == "");
}

TEST_CASE("Corollary 3: blocks of any sizes take at most ceil(lg p)(alpha + beta m + gamma m)") {
  std::mt19937 random(20250221);
  const Algorithm& algorithm = algorithm_named("reduce_scatter/circulant");
  const auto total_s = [&](std::uint32_t p, std::vector<std::uint64_t> blocks) {
    Problem problem = problem_of(Collective::reduce_scatter, p, 0);
    for (std::uint64_t& block : blocks) {
      block *= problem.element_bytes;
      problem.bytes += block;
    }
    problem.block_bytes = std::move(blocks);
    const double m = static_cast<double>(problem.bytes);
    const double bound_s = ceil_log2(p) * (kPrices.alpha_s + kPrices.beta_s_per_byte * m +
                                           kPrices.gamma_s_per_byte * m);
    const double seconds = engine_s(make_schedule(algorithm, problem, Detail::times_only));
    return std::pair{seconds, bound_s};
  };
  for (std::uint32_t p = 2; p <= kMostRanksTried; ++p) {
    INFO("p=" << p);
    // If one block has all elements, the bound is tight, whichever block that is.
    std::vector<std::uint64_t> one_block(p, 0);
    one_block[random() % p] = 1000 * std::uint64_t{p};
    const auto [extreme_s, tight_s] = total_s(p, one_block);
    REQUIRE(extreme_s == Approx(tight_s).epsilon(1e-12));
    if (p > 64 && p % 32 != 0) {
      continue;
    }
    // Tries block sizes from similar to very different, some of them 0.
    for (const double steepness : {0.5, 4.0, 30.0}) {
      std::vector<std::uint64_t> blocks(p);
      for (std::uint64_t& block : blocks) {
        const double u = std::uniform_real_distribution<double>(0, 1)(random);
        block = static_cast<std::uint64_t>(1000 * std::pow(u, steepness));
      }
      blocks[random() % p] += 1;  // so that not all blocks are empty
      const auto [seconds, bound_s] = total_s(p, blocks);
      REQUIRE(seconds <= bound_s * (1 + 1e-12));
    }
  }
}

TEST_CASE("rank order costs linear skips one more reduction of a block, and no message") {
  for (std::uint32_t p = 2; p <= 40; ++p) {
    INFO("p=" << p);
    const Schedule in_order = circulant(Collective::reduce_scatter, p, "linear", p);
    const Problem problem = problem_of(Collective::reduce_scatter, p, p);
    ScheduleBuilder builder(problem, p);
    Rounds rounds(builder);
    emit_circulant_reduce_scatter(problem, rounds,
                                  circulant_rounds(circulant_skips(parse_skips("linear"), p), p));
    const Schedule in_any = builder.finish();
    REQUIRE(volumes(in_order) == volumes(in_any));
    REQUIRE(in_order.rounds() == in_any.rounds());
    const double more_s = p > 2 ? 8 * kPrices.gamma_s_per_byte : 0;
    REQUIRE(engine_s(in_order) == Approx(engine_s(in_any) + more_s).epsilon(1e-12));
  }
}

TEST_CASE("skips that are not linear sum up contributions of ranks that are not neighbours") {
  for (std::uint32_t p = 2; p <= 12; ++p) {
    for (std::uint32_t mask = 1; mask < 1U << (p - 1); ++mask) {
      const auto list = members(mask, p);
      if (first_that_is_no_sum(list, p) < p) {
        continue;
      }
      INFO("p=" << p << " skips=" << fmt::format("{}", fmt::join(list, ",")));
      bool apart = false;
      for (const CirculantRound& round : circulant_rounds(list, p)) {
        for_each_index(round, [&](std::uint32_t i) {
          apart = apart || (i != round.skip && round.skip > 1);
          REQUIRE((i == round.skip || round.skip > 1));
        });
      }
      REQUIRE(apart != linear_skips({Skips::Scheme::list, list}, p));
    }
  }
}

}  // namespace tutti::test_theorems
