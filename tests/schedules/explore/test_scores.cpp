// Breaks every registered algorithm in every way that breaks() returns, for 2 to 6 ranks. Mutants
// that can go wrong must be refused; the others must still be proved. Each test prints its scores.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "tests/sanitized.hpp"
#include "tests/schedules/explore/judged_problem.hpp"
#include "tests/schedules/explore/mutants.hpp"
#include "tests/schedules/explore/proof.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::explore { namespace {

constexpr std::uint32_t kMinRanks = 2;
constexpr std::uint32_t kMaxRanks = kSanitized ? 4 : 6;
// Up to this number of ranks, the judge must be sure of every mutant.
constexpr std::uint32_t kMaxCertainRanks = 4;
constexpr std::uint64_t kMaxStates = 20'000;

// Returns the algorithm's default problem, and one problem for each variant that its options allow.
std::vector<Problem> problems(const Algorithm& algorithm, std::uint32_t ranks) {
  // 60 elements divide evenly into any number of blocks up to 6, and 2520 elements into any number
  // up to 10. No segment is left empty.
  const Problem plain = problem_of(algorithm, ranks, ranks <= 6 ? 60 : 2520);
  std::vector<Problem> all{plain};
  const auto add = [&](auto&& change) {
    all.push_back(plain);
    change(all.back());
  };
  const auto takes = [&](Option option) {
    return (algorithm.options & static_cast<unsigned>(option)) != 0;
  };
  if (has_root(algorithm.collective)) {
    add([&](Problem& problem) { problem.root = ranks - 1; });
  }
  if (takes(Option::fold)) {
    add([](Problem& problem) { problem.fold = Fold::far; });
  }
  if (takes(Option::segment)) {
    add([](Problem& problem) { problem.segment_bytes = problem.bytes / 3; });
    add([&](Problem& problem) { problem.segment_bytes = problem.bytes / ranks / 2 / 8 * 8; });
  }
  if (takes(Option::skips)) {
    for (const char* skips : {"doubling", "linear", "sqrt"}) {
      add([&](Problem& problem) { problem.skips = parse_skips(skips); });
    }
  }
  if (takes(Option::ranks_per_node)) {
    add([](Problem& problem) { problem.ranks_per_node = 2; });
  }
  if (takes(Option::tree)) {
    for (const Tree tree : {Tree::binary, Tree::binomial}) {
      add([&](Problem& problem) { problem.tree = tree; });
    }
  }
  if (takes(Option::cuts)) {
    for (const Cuts cuts : {Cuts::open_mpi, Cuts::mpich}) {
      add([cuts](Problem& problem) { problem.cuts = cuts; });
    }
  }
  if (takes(Option::block_sizes)) {
    add([&](Problem& problem) {
      // The blocks have enough elements that no channel is left empty.
      for (std::uint32_t block = 0; block < ranks; ++block) {
        problem.block_bytes.push_back(std::uint64_t{16} * (1 + block % 2));
        problem.bytes += block == 0 ? 0 : problem.block_bytes.back();
      }
      problem.bytes = 0;
      for (const std::uint64_t bytes : problem.block_bytes) {
        problem.bytes += bytes;
      }
    });
  }
  std::erase_if(all, [&](const Problem& problem) {
    try {
      check(algorithm, problem);
      return false;
    } catch (const UserError&) {
      return true;
    }
  });
  for (Problem& problem : all) {
    if (problem.block_bytes.empty()) {
      problem = judged_problem(algorithm, problem);
    }
  }
  return all;
}

// Returns the claims of the algorithm, and as further claims the counts of its unbroken schedule.
Claims claims_before(const Algorithm& algorithm, const Problem& problem, const Schedule& schedule) {
  Claims claims = claims_of(algorithm, problem);
  claims.rounds = schedule.rounds();
  claims.messages = schedule.messages();
  claims.bytes_sent = schedule.bytes_sent();
  claims.bytes_reduced = schedule.bytes_reduced();
  return claims;
}

void score_all(Collective collective, std::uint32_t min_ranks, std::uint32_t max_ranks,
               std::size_t per_kind = SIZE_MAX) {
  for (const Algorithm* algorithm : host_algorithms()) {
    if (algorithm->collective != collective) {
      continue;
    }
    Score total;
    std::string exhausted;
    for (std::uint32_t ranks = min_ranks; ranks <= max_ranks; ++ranks) {
      Score score;
      for (const Problem& problem : problems(*algorithm, ranks)) {
        const Schedule schedule = make_schedule(*algorithm, problem);
        const Draft made = draft_of(schedule);
        const Claims claims = claims_before(*algorithm, problem, schedule);
        MutationOptions options;
        options.sameness = sameness_of(*algorithm, problem);
        options.max_states = kMaxStates;
        options.per_kind = per_kind;
        INFO(algorithm->full_name() << " on " << ranks << " ranks, root " << problem.root << ' '
                                    << options_text(*algorithm, problem));
        const MutantVerdict whole = judge(made, options.sameness, options.max_states);
        CHECK(whole.why.empty());
        CHECK(whole.judgement == Judgement::harmless);
        std::vector<std::string> disagreements;
        score += compare(
            made, options, [&](const Draft& broken) { return ask(broken, claims); },
            [&](const std::string& sentence) { disagreements.push_back(sentence); });
        if (!disagreements.empty()) {
          constexpr std::size_t kShown = 3;
          const std::size_t shown = std::min(kShown, disagreements.size());
          disagreements.resize(shown, "");
          FAIL_CHECK(fmt::format("{}\n{}", fmt::join(disagreements, "\n"), to_string(made)));
        }
      }
      if (ranks <= kMaxCertainRanks) {
        CHECK(score.unknown == 0);
      }
      if (score.mutants > 0 && score.unknown == 0) {
        exhausted += fmt::format(" {}", ranks);
      }
      total += score;
    }
    fmt::print("{:30} {:7} {:8} {:7} {:9} {:8} {:8} {:7} {:8} {:8} {:8} {}\n",
               algorithm->full_name(), total.mutants, total.harmful, total.caught, total.forbidden,
               total.refused, total.harmless, total.proved, total.changed, total.reported,
               total.unknown, exhausted);
    std::fflush(stdout);
  }
}

void print_header() {
  fmt::print("{:30} {:>7} {:>8} {:>7} {:>9} {:>8} {:>8} {:>7} {:>8} {:>8} {:>8} {}\n", "",
             "mutants", "harmful", "caught", "forbidden", "refused", "harmless", "proved",
             "changed", "reported", "unknown", "ranks exhausted");
}

// One test case for each collective, so that they run in parallel.
TEMPLATE_TEST_CASE_SIG("proof and search agree on mutants", "",
                       ((Collective kCollective), kCollective), Collective::allreduce,
                       Collective::bcast, Collective::reduce, Collective::reduce_scatter,
                       Collective::allgather, Collective::alltoall, Collective::gather,
                       Collective::scatter, Collective::barrier) {
  print_header();
  score_all(kCollective, kMinRanks, kMaxRanks);
}

TEST_CASE("proof and search agree on mutants on 7 to 9 ranks, a sample", "[slow]") {
  print_header();
  for (const Collective collective : kCollectives) {
    score_all(collective, 7, 9, 20);
  }
}

// Returns the score of `prover` on the algorithm `name` with 4 ranks. Also checks that the real
// proof has a perfect score there.
Score score_of(std::string_view name, const Prover& prover) {
  const Algorithm& algorithm = algorithm_named(name);
  const Problem problem = problem_of(algorithm.collective, 4, 60);
  const Schedule schedule = make_schedule(algorithm, problem);
  const Draft made = draft_of(schedule);
  MutationOptions options;
  options.sameness = sameness_of(algorithm, problem);
  const Claims claims = claims_before(algorithm, problem, schedule);
  const Score seeing = compare(
      made, options, [&](const Draft& broken) { return ask(broken, claims); },
      [](const std::string&) {});
  CHECK(seeing.perfect());
  return compare(made, options, prover, [](const std::string&) {});
}

TEST_CASE("mutants: a proof that overlooks one kind of finding is detected") {
  // Each of these algorithms has a mutant with findings of the overlooked kind only. For other
  // algorithms this may not hold: every mutant with a finding of this kind may also have findings
  // of other kinds.
  using Case = std::pair<const char*, FindingKind>;
  for (const auto& [algorithm, overlooked] :
       {Case{"allreduce/ring", FindingKind::race}, Case{"allreduce/ring", FindingKind::result},
        Case{"allreduce/recursive_doubling", FindingKind::undefined_read}}) {
    const FindingKind blind_to = overlooked;
    const Score score = score_of(algorithm, [blind_to](const Draft& broken) {
      try {
        const Verdict verdict = verify(schedule_of(broken));
        std::size_t seen = 0;
        for (std::size_t kind = 0; kind < kFindingKinds; ++kind) {
          seen += static_cast<FindingKind>(kind) == blind_to ? 0 : verdict.counts[kind];
        }
        return Answer{seen > 0, "", true};
      } catch (const UserError&) {
        return Answer{true, "", true};
      }
    });
    INFO(algorithm << ", " << name(overlooked));
    CHECK(score.caught < score.harmful);
  }
}

TEST_CASE("mutants: a proof that overlooks the order of operands is detected") {
  const Score score =
      score_of("allreduce/recursive_doubling", [](const Draft& broken) { return ask(broken, {}); });
  CHECK(score.caught < score.harmful);
}

}}  // namespace tutti::explore
