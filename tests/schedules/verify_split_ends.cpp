// Tests that the proof distinguishes the two ends of a message: an order that holds in the DAG may
// not hold on MPI, and the proof may only rely on orders that also hold for eager sends.
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/transitive_reduction.hpp>
#include <catch2/catch.hpp>

#include <random>

#include "schedules/verify/event_search.hpp"
#include "schedules/verify/rank_order.hpp"
#include "tests/schedules/verify_support.hpp"

namespace tutti::test_verify_split_ends {

using Catch::Matchers::Equals;
using Texts = std::vector<std::string>;

namespace {

constexpr auto kWorkBuffer = Buffer::work;
constexpr auto kScratchBuffer = Buffer::scratch;

// Returns a schedule of messages and local operations at random ranks, with random dependencies.
// Some dependencies join operations that share no rank.
Schedule random_schedule(std::uint32_t ranks, OpId size, std::mt19937& random) {
  ByHand hand(small_problem(Collective::allreduce, ranks));
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  for (OpId id = 0; id < size; ++id) {
    std::vector<OpId> after;
    for (std::uint32_t i = 0; id > 0 && i < 3; ++i) {
      after.push_back(id - 1 - below(std::min<OpId>(id, 8)));
    }
    const Rank rank = below(ranks);
    if (below(3) == 0) {
      hand.copy({id, 0}, rank, 0, kWorkBuffer, kScratchBuffer, after);
    } else {
      hand.comm({id, 0}, rank, (rank + 1 + below(ranks - 1)) % ranks, 0, kWorkBuffer,
                kScratchBuffer, after);
    }
  }
  return hand.finish();
}

// Happens-before relation of all events, computed as the transitive closure in id order. Each
// operation has 4 events, in the order of the enum Moment; a local operation uses only the first.
class Closure {
 public:
  explicit Closure(const Schedule& schedule)
      : size_(std::size_t{schedule.size()} * 4), before_(size_ * size_) {
    for (std::size_t at = 0; at < size_; ++at) {
      const auto id = static_cast<OpId>(at / 4);
      if (at % 4 > 0 && !schedule.op(id).is_comm()) {
        continue;
      }
      const auto join = [&](std::size_t from) {
        before_[at * size_ + from] = true;
        for (std::size_t i = 0; i < from; ++i) {
          if (before_[from * size_ + i]) {
            before_[at * size_ + i] = true;
          }
        }
      };
      // This code is written from the rules of happens-before, independently of the code under
      // test.
      const Op& op = schedule.op(id);
      if (at % 4 == 2) {
        join(at - 2);
      } else if (at % 4 == 3) {
        join(at - 2);
        join(at - 3);
      } else {
        const Rank rank = at % 4 == 1 ? op.dst() : op.src();
        for (const OpId other : schedule.predecessors(id)) {
          const Op& earlier = schedule.op(other);
          if (earlier.src() == rank) {
            join(std::size_t{other} * 4 + (earlier.is_comm() ? 2 : 0));
          } else if (earlier.dst() == rank) {
            join(std::size_t{other} * 4 + 3);
          }
        }
      }
    }
  }
  [[nodiscard]] bool operator()(std::size_t a, std::size_t b) const {
    return a == b || before_[b * size_ + a];
  }

 private:
  std::size_t size_;
  // True at [b * size_ + a] if event a happens before event b.
  std::vector<bool> before_;
};

}  // namespace

TEST_CASE("three messages, ordered locally and on the DAG, are wrong on MPI") {
  // Message p goes from rank 0 to rank 1, and q from 0 to 2. After both, b goes from 2 to 1. After
  // b, a last message, called C below, goes from 2 to 0 and overwrites the source of p.
  ByHand hand(small_problem(Collective::bcast, 3));
  const OpId p = hand.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer);
  const OpId q = hand.comm({0, 0}, 0, 2, 0, kWorkBuffer, kWorkBuffer);
  const OpId b = hand.comm({1, 0}, 2, 1, 0, kWorkBuffer, kScratchBuffer, {p, q});
  hand.comm({2, 0}, 2, 0, 0, kWorkBuffer, kWorkBuffer, {b});
  const Verdict verdict = verify(hand.finish());
  CHECK_FALSE(verdict.proved());
  CHECK(verdict.count(FindingKind::locality) == 0);
  CHECK_THAT(
      texts(verdict, FindingKind::race),
      Equals(Texts{"at rank 0, Req(<0,0>,{0,1}) reads and Req(<2,0>,{2,0}) writes block 0 of "
                   "work, and nothing orders them; let Req(<2,0>,{2,0}) come after "
                   "Req(<0,0>,{0,1})"}));

  // A reply from the receiver may overwrite the source of the message without a race: the receiver
  // has the data, so the source has been read.
  ByHand answered(small_problem(Collective::bcast, 2));
  const OpId sent = answered.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer);
  answered.comm({1, 0}, 1, 0, 0, kWorkBuffer, kWorkBuffer, {sent});
  CHECK(verify(answered.finish()).proved());
}

TEST_CASE("an order that a rank knows only through other ranks is found by search") {
  // Rank 0 sends its block to 1, and 1 sends to 2. The message from 2 that overwrites the block
  // comes after both, although no dependency at rank 0 says so.
  ByHand hand(small_problem(Collective::bcast, 3));
  const OpId p = hand.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer);
  const OpId q = hand.comm({1, 0}, 1, 2, 0, kWorkBuffer, kWorkBuffer, {p});
  hand.comm({2, 0}, 2, 0, 0, kWorkBuffer, kWorkBuffer, {q});
  const Verdict verdict = verify(hand.finish());
  CHECK(verdict.proved());
  CHECK(verdict.searches == 1);
}

TEST_CASE("a hint never drops a dependency that keeps an eager send from overtaking") {
  // The messages are p, q, b and C as in the test of three messages above. In the DAG, C comes
  // after p because C comes after b and b comes after p. On MPI, rank 0 knows this order only from
  // the direct dependency of C on p.
  ByHand hand(small_problem(Collective::bcast, 3));
  const OpId p = hand.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer);
  const OpId q = hand.comm({0, 0}, 0, 2, 0, kWorkBuffer, kWorkBuffer);
  const OpId b = hand.comm({1, 0}, 2, 1, 0, kWorkBuffer, kScratchBuffer, {p, q});
  hand.comm({2, 0}, 2, 0, 0, kWorkBuffer, kWorkBuffer, {p, q, b});
  const Verdict verdict = verify(hand.finish());
  CHECK(verdict.proved());
  // The dependency of C on q is not redundant either. Rank 2 also knows from b that q comes before
  // C, but rank 0 knows this only from the dependency itself.
  CHECK(verdict.redundant_dependencies == 0);

  // This chain has three operations at one rank, and the third also depends directly on the first.
  // At one rank no operation can overtake another, so this dependency is redundant.
  ByHand chain(small_problem(Collective::bcast, 1));
  const OpId first = chain.copy({0, 0}, 0, 0, kWorkBuffer, kScratchBuffer);
  const OpId second = chain.copy({1, 0}, 0, 0, kWorkBuffer, kScratchBuffer, {first});
  chain.copy({2, 0}, 0, 0, kWorkBuffer, kScratchBuffer, {first, second});
  CHECK(verify(chain.finish()).redundant_dependencies == 1);
}

TEST_CASE("rank-local clocks and searches agree with the transitive closure of all events") {
  std::mt19937 random(1);  // NOLINT: the same schedules in every run
  for (int round = 0; round < 30; ++round) {
    const std::uint32_t ranks = 2 + static_cast<std::uint32_t>(random() % 4);
    const Schedule schedule = random_schedule(ranks, 60, random);
    const Closure closure(schedule);
    const RankOps ops(schedule);
    RankOrder order(schedule, ops);
    EventSearch search(schedule, 1'000'000);
    std::size_t unordered = 0;
    for (Rank rank = 0; rank < ranks; ++rank) {
      order.build(rank);
      const auto ids = ops.at(rank);
      for (std::uint32_t b = 0; b < ids.size(); ++b) {
        for (std::uint32_t a = 0; a < b; ++a) {
          const Op& first = schedule.op(ids[a]);
          const Op& second = schedule.op(ids[b]);
          const std::size_t at_a = std::size_t{ids[a]} * 4;
          const std::size_t at_b = std::size_t{ids[b]} * 4;
          std::vector<std::size_t> ends{at_a};
          if (first.is_comm()) {
            ends = first.dst() == rank ? std::vector{at_a + 3} : std::vector{at_a + 2, at_a + 3};
          }
          std::vector<std::size_t> begins{at_b};
          if (second.is_comm() && second.dst() == rank) {
            begins.push_back(at_b + 1);
          }
          bool expected = false;
          for (const std::size_t end : ends) {
            for (const std::size_t begin : begins) {
              expected = expected || closure(end, begin);
            }
          }
          const OpId candidate[] = {ids[a]};
          const bool found = search.unordered(ids[b], rank, candidate).empty();
          CAPTURE(round, rank, ids[a], ids[b]);
          CHECK(found == expected);
          // Every order that the rank itself knows is part of the closure.
          if (order.before(a, b)) {
            CHECK(expected);
          }
          unordered += expected ? 0 : 1;
        }
      }
    }
    CHECK(unordered > 0);
  }
}

TEST_CASE(
    "a rank's clocks and hints are the transitive closure and reduction of its own dependencies") {
  std::mt19937 random(2);  // NOLINT
  for (int round = 0; round < 30; ++round) {
    const std::uint32_t ranks = 2 + static_cast<std::uint32_t>(random() % 3);
    const Schedule schedule = random_schedule(ranks, 40, random);
    const RankOps ops(schedule);
    RankOrder order(schedule, ops);
    std::vector<std::vector<bool>> needed(schedule.size(), std::vector<bool>(schedule.size()));
    for (Rank rank = 0; rank < ranks; ++rank) {
      order.build(rank);
      const auto ids = ops.at(rank);
      using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
      Graph graph(ids.size());
      for (std::uint32_t b = 0; b < ids.size(); ++b) {
        for (const OpId before : schedule.predecessors(ids[b])) {
          if (schedule.op(before).touches(rank)) {
            boost::add_edge(ops.index(before, rank), b, graph);
          }
        }
      }
      std::vector<std::vector<bool>> reach(ids.size(), std::vector<bool>(ids.size()));
      for (std::uint32_t b = 0; b < ids.size(); ++b) {
        for (std::uint32_t a = 0; a < b; ++a) {
          bool expected = boost::edge(a, b, graph).second;
          for (std::uint32_t c = a + 1; c < b && !expected; ++c) {
            expected = reach[a][c] && boost::edge(c, b, graph).second;
          }
          reach[a][b] = expected;
          CHECK(order.before(a, b) == expected);
        }
      }
      Graph reduced;
      std::vector<Graph::vertex_descriptor> to_reduced(ids.size());
      std::vector<std::size_t> indices(ids.size());
      for (std::size_t i = 0; i < ids.size(); ++i) {
        indices[i] = i;
      }
      boost::transitive_reduction(graph, reduced,
                                  boost::make_iterator_property_map(
                                      to_reduced.begin(), boost::get(boost::vertex_index, graph)),
                                  boost::make_iterator_property_map(
                                      indices.begin(), boost::get(boost::vertex_index, graph)));
      for (std::uint32_t b = 0; b < ids.size(); ++b) {
        for (std::uint32_t a = 0; a < b; ++a) {
          if (boost::edge(to_reduced[a], to_reduced[b], reduced).second) {
            needed[ids[a]][ids[b]] = true;
          }
        }
      }
    }
    std::size_t redundant = 0;
    for (OpId id = 0; id < schedule.size(); ++id) {
      for (const OpId before : schedule.predecessors(id)) {
        redundant +=
            schedule.op(id).shares_rank(schedule.op(before)) && !needed[before][id] ? 1 : 0;
      }
    }
    CHECK(order.redundant_dependencies() == redundant);
  }
}

}  // namespace tutti::test_verify_split_ends
