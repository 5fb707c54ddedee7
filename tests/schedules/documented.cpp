// Compares schedules with their definitions in [schedule document]: the number of their levels, and
// the messages where the document has an error, which is corrected here. notation/programs.cpp
// compares every operation with the document's programs.
#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include "schedules/patterns/arithmetic.hpp"
#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_documented {

namespace {

struct Message {
  std::uint32_t level;
  Rank src;
  Rank dst;
  std::uint64_t bytes;
  friend bool operator==(const Message&, const Message&) = default;
};

std::vector<Message> messages(const Schedule& schedule) {
  std::vector<Message> found;
  for (const Op& op : schedule.ops()) {
    if (op.is_comm()) {
      found.push_back({op.label().level, op.src(), op.dst(), op.bytes()});
    }
  }
  return found;
}

Schedule make(std::string_view algorithm_name, std::uint32_t p, std::uint64_t elements,
              Rank root = 0) {
  const Algorithm& algorithm = algorithm_named(algorithm_name);
  return make_schedule(algorithm, problem_of(algorithm.collective, p, elements, root));
}

}  // namespace

TEST_CASE("each documented schedule has the documented number of levels") {
  for (std::uint32_t p = 1; p <= 40; ++p) {
    INFO("p=" << p);
    CHECK(make("alltoall/linear", p, p).rounds() == (p > 1 ? 1 : 0));
    CHECK(make("alltoall/linear", p, p).dependencies() == 0);
    const std::uint32_t folds = p > power_of_two_below(p) ? 2 : 0;
    Problem far = problem_of(Collective::barrier, p, 0);
    far.fold = Fold::far;
    for (const char* name : {"barrier/recursive_doubling", "allreduce/recursive_doubling"}) {
      far.collective = algorithm_named(name).collective;
      CHECK(make_schedule(algorithm_named(name), far).rounds() == floor_log2(p) + folds);
    }
    if (folds == 0) {
      CHECK(make("allgather/recursive_doubling", p, p).rounds() == floor_log2(p));
    }
    for (const Rank root : {0U, p / 2, p - 1}) {
      CHECK(make("bcast/binomial", p, 5, root).rounds() == ceil_log2(p));
      CHECK(make("bcast/binomial", p, 5, root).messages() == p - 1);
      CHECK(make("bcast/pipeline", p, 20, root).rounds() == p - 1);
      CHECK(make("reduce/pipeline", p, 20, root).rounds() == p - 1);
    }
    for (const std::uint32_t cores : {1U, 3U, 4U}) {
      Problem smp = problem_of(Collective::bcast, p, 10, p - 1);
      smp.ranks_per_node = cores;
      // Level 0 is the root's message to rank 0, unless rank 0 is the root. The number of the other
      // levels is the largest number of hops from rank 0 to any rank.
      std::uint32_t levels = 0;
      for (Rank n = 0; n < p; ++n) {
        levels = std::max(levels, n / cores + n % cores + (p > 1 ? 1 : 0));
      }
      CHECK(make_schedule(algorithm_named("bcast/smp_linear"), smp).rounds() == levels);
    }
  }
}

TEST_CASE("recursive doubling with growing messages on 3 ranks, by hand") {
  // At distance 2, ranks 0 and 2 are partners. Rank 1 has no partner, and gets block 2 from rank 0.
  CHECK(
      messages(make("allgather/recursive_doubling", 3, 3)) ==
      std::vector<Message>{{0, 0, 1, 8}, {0, 1, 0, 8}, {1, 0, 2, 16}, {1, 2, 0, 8}, {2, 0, 1, 8}});
}

TEST_CASE("a binomial tree on 3 ranks, by hand") {
  // The document is wrong here: rank 1 would send a vector to rank 2 before it has received one.
  CHECK(messages(make("bcast/binomial", 3, 1)) == std::vector<Message>{{0, 0, 2, 8}, {1, 0, 1, 8}});
}

}  // namespace tutti::test_documented
