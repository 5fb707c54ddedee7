// Compares schedules with their definitions in [schedule document]: which rank sends how much to
// which rank at which level. Errors in the document are corrected here.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include "schedules/patterns/arithmetic.hpp"
#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_documented {

namespace {

constexpr std::uint64_t kElement = 8;

struct Message {
  std::uint32_t level;
  Rank src;
  Rank dst;
  std::uint64_t elements;
  friend auto operator<=>(const Message&, const Message&) = default;
};

std::vector<Message> messages(const Schedule& schedule) {
  std::vector<Message> found;
  for (const Op& op : schedule.ops()) {
    if (op.is_comm()) {
      found.push_back({op.label().level, op.src(), op.dst(), op.bytes() / kElement});
    }
  }
  return found;
}

std::vector<Message> sorted(std::vector<Message> list) {
  std::sort(list.begin(), list.end());
  return list;
}

Schedule make(std::string_view algorithm_name, std::uint32_t p, std::uint64_t elements,
              Rank root = 0) {
  const Algorithm& algorithm = algorithm_named(algorithm_name);
  return make_schedule(algorithm, problem_of(algorithm.collective, p, elements, root));
}

Schedule make(std::string_view algorithm_name, const Problem& problem) {
  return make_schedule(algorithm_named(algorithm_name), problem);
}

std::uint32_t parts_of(std::uint64_t whole, std::uint64_t part) {
  return static_cast<std::uint32_t>((whole + part - 1) / part);
}

}  // namespace

TEST_CASE("basic linear: every rank sends to every other, without waiting") {
  for (const std::uint32_t p : {1U, 2U, 7U, 16U}) {
    const Schedule schedule = make("alltoall/linear", p, p);
    CHECK(schedule.messages() == std::uint64_t{p} * (p - 1));
    CHECK(schedule.dependencies() == 0);
    CHECK(schedule.rounds() == (p > 1 ? 1 : 0));
    const auto sent = messages(schedule);
    CHECK(std::set<Message>(sent.begin(), sent.end()).size() == sent.size());
  }
}

TEST_CASE("Bruck: rank n sends to n + 2^l, with the minimum number of blocks") {
  for (std::uint32_t p = 1; p <= 40; ++p) {
    std::vector<Message> gathered;
    std::vector<Message> exchanged;
    for (std::uint32_t level = 0; level < ceil_log2(p); ++level) {
      const std::uint32_t distance = 1U << level;
      std::uint32_t with_bit = 0;
      for (std::uint32_t i = 0; i < p; ++i) {
        with_bit += i >> level & 1U;
      }
      for (Rank n = 0; n < p; ++n) {
        gathered.push_back({level, n, (n + distance) % p, std::min(distance, p - distance)});
        exchanged.push_back({level, n, (n + distance) % p, with_bit});
      }
    }
    INFO("p=" << p);
    CHECK(messages(make("allgather/bruck", p, p)) == gathered);
    CHECK(messages(make("alltoall/bruck", p, p)) == exchanged);
  }
}

TEST_CASE("recursive doubling, constant size: one exchange per pair and level, two folds") {
  for (std::uint32_t p = 1; p <= 40; ++p) {
    const std::uint32_t base = power_of_two_below(p);
    const std::uint32_t folds = p > base ? 1 : 0;
    Problem problem = problem_of(Collective::barrier, p, 0);
    problem.fold = Fold::far;
    std::vector<Message> wanted;
    for (Rank n = base; n < p; ++n) {
      wanted.push_back({0, n, n - base, 0});
      wanted.push_back({floor_log2(p) + 1, n - base, n, 0});
    }
    for (std::uint32_t level = 0; level < floor_log2(p); ++level) {
      for (Rank n = 0; n < base; ++n) {
        wanted.push_back({level + folds, n, n ^ 1U << level, 0});
      }
    }
    INFO("p=" << p);
    const Schedule schedule = make("barrier/recursive_doubling", problem);
    CHECK(sorted(messages(schedule)) == sorted(wanted));
    CHECK(schedule.rounds() == floor_log2(p) + 2 * folds);
    problem.collective = Collective::allreduce;
    CHECK(make("allreduce/recursive_doubling", problem).rounds() == floor_log2(p) + 2 * folds);
  }
}

TEST_CASE("recursive doubling, exponential size: an exchange moves all data of a group") {
  for (std::uint32_t p = 1; p <= 40; ++p) {
    INFO("p=" << p);
    const Schedule schedule = make("allgather/recursive_doubling", p, p);
    // Number of blocks that each rank holds. The document calls it m[n] for rank n.
    std::vector<std::uint64_t> held(p, 1);
    const auto sent = messages(schedule);
    std::size_t at = 0;
    for (std::uint32_t bit = 0; bit < ceil_log2(p); ++bit) {
      const std::uint32_t size = 1U << bit;
      const auto before = held;
      // First come the exchanges between ranks that differ only in this bit: one message from each
      // rank that has a partner.
      std::set<Rank> had_a_partner;
      for (; at < sent.size() && had_a_partner.count(sent[at].src) == 0 &&
             (sent[at].src ^ sent[at].dst) == size;
           ++at) {
        CHECK(sent[at].elements == before[sent[at].src]);
        held[sent[at].dst] += sent[at].elements;
        had_a_partner.insert(sent[at].src);
      }
      for (Rank n = 0; n < p; ++n) {
        CHECK((had_a_partner.count(n) == 1) == ((n ^ size) < p));
      }
      // Then the blocks that the exchanges moved are sent along a tree, from ranks that had a
      // partner to ranks that had none.
      for (; at < sent.size() && (sent[at].src ^ sent[at].dst) < size; ++at) {
        CHECK(held[sent[at].src] == before[sent[at].src] + sent[at].elements);
        CHECK(held[sent[at].dst] == before[sent[at].dst]);
        CHECK(had_a_partner.count(sent[at].dst) == 0);
        held[sent[at].dst] += sent[at].elements;
      }
    }
    CHECK(at == sent.size());
    CHECK(held == std::vector<std::uint64_t>(p, p));
    if (p == power_of_two_below(p)) {
      CHECK(schedule.rounds() == floor_log2(p));
    }
  }
  // The expected messages on 3 ranks are worked out by hand. At distance 2, ranks 0 and 2 are
  // partners. Rank 1 has no partner, and gets block 2 from rank 0.
  CHECK(messages(make("allgather/recursive_doubling", 3, 3)) ==
        std::vector<Message>{{0, 0, 1, 1}, {0, 1, 0, 1}, {1, 0, 2, 2}, {1, 2, 0, 1}, {2, 0, 1, 1}});
}

TEST_CASE("binomial tree: only ranks that hold the data send") {
  for (std::uint32_t p = 1; p <= 40; ++p) {
    for (const Rank root : {0U, p / 2, p - 1}) {
      INFO("p=" << p << " root=" << root);
      const Schedule schedule = make("bcast/binomial", p, 5, root);
      const std::uint32_t levels = ceil_log2(p);
      CHECK(schedule.rounds() == levels);
      CHECK(schedule.messages() == p - 1);
      for (const Message& message : messages(schedule)) {
        const std::uint32_t mask = 1U << (levels - message.level - 1);
        const std::uint32_t nr = (message.src + p - root) % p;
        CHECK(nr % (2 * mask) == 0);
        CHECK(message.dst == (message.src + mask) % p);
      }
    }
  }
  // The document is wrong here: rank 1 would send a vector to rank 2 before it has received one.
  CHECK(messages(make("bcast/binomial", 3, 1)) == std::vector<Message>{{0, 0, 2, 1}, {1, 0, 1, 1}});
}

TEST_CASE("split binary tree: halves go down two sides, and pairs exchange them") {
  constexpr std::uint64_t kElements = 25;  // the halves have 13 and 12 elements
  constexpr std::uint64_t kSegment = 5;    // elements of a segment; each half has 3 segments
  for (std::uint32_t p = 2; p <= 20; ++p) {
    for (const Rank root : {0U, p / 2, p - 1}) {
      INFO("p=" << p << " root=" << root);
      Problem problem = problem_of(Collective::bcast, p, kElements, root);
      problem.segment_bytes = kSegment * kElement;
      const Schedule schedule = make("bcast/split_binary_tree", problem);
      CHECK(schedule.blocks() == 6);
      // Pairs of a sender and a receiver, both numbered relative to the root.
      std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
      std::vector<std::uint64_t> down(p);
      std::vector<Message> across;
      const auto sent = messages(schedule);
      const std::uint32_t last_level = sent.back().level;
      for (const Message& message : sent) {
        const std::uint32_t src = (message.src + p - root) % p;
        const std::uint32_t dst = (message.dst + p - root) % p;
        if (message.level == last_level) {
          across.push_back({0, src, dst, message.elements});
        } else {
          edges.insert({src, dst});
          down[dst] += message.elements;
        }
      }
      // Edges of the tree: 0 to 1, 2; 1 to 3, 5; 2 to 4, 6; 3 to 7, 11; 4 to 8, 12; ...
      for (const auto& [parent, child] :
           std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 1},
                                                                {0, 2},
                                                                {1, 3},
                                                                {1, 5},
                                                                {2, 4},
                                                                {2, 6},
                                                                {3, 7},
                                                                {3, 11},
                                                                {4, 8},
                                                                {4, 12},
                                                                {5, 9},
                                                                {5, 13},
                                                                {6, 10},
                                                                {6, 14}}) {
        CHECK(edges.count({parent, child}) == (child < p ? 1 : 0));
      }
      CHECK(edges.size() == p - 1);
      std::vector<Message> wanted;
      for (std::uint32_t nr = 1; nr < p; ++nr) {
        CHECK(down[nr] == (nr % 2 == 1 ? 13 : 12));
        const std::uint32_t partner = nr % 2 == 1 ? nr + 1 : nr - 1;
        if (partner < p) {
          wanted.push_back({0, nr, partner, down[nr]});
        }
      }
      if (p % 2 == 0) {
        wanted.push_back({0, 0, p - 1, 12});  // rank p-1 has no partner other than the root
      }
      CHECK(sorted(across) == sorted(wanted));
    }
  }
}

TEST_CASE("pipeline: N-1 levels over a chain, ceil(M/S) segments over each edge") {
  for (std::uint32_t p = 1; p <= 20; ++p) {
    for (const std::uint64_t segment : {1U, 3U, 7U, 20U}) {
      for (const Rank root : {0U, p / 2}) {
        Problem problem = problem_of(Collective::bcast, p, 20, root);
        problem.segment_bytes = segment * kElement;
        INFO("p=" << p << " segment=" << segment);
        const Schedule schedule = make("bcast/pipeline", problem);
        const std::uint32_t segments = parts_of(20, segment);
        CHECK(schedule.rounds() == p - 1);
        CHECK(schedule.messages() == std::uint64_t{p - 1} * segments);
        for (const Message& message : messages(schedule)) {
          CHECK(message.src == (root + message.level) % p);
          CHECK(message.dst == (message.src + 1) % p);
          CHECK(message.elements <= segment);
        }
        problem.collective = Collective::reduce;
        CHECK(make("reduce/pipeline", problem).rounds() == p - 1);
        problem.collective = Collective::bcast;
        problem.tree = Tree::binomial;
        CHECK(make("bcast/pipeline", problem).messages() == std::uint64_t{p - 1} * segments);
      }
    }
  }
}

TEST_CASE("SMP linear: messages go along the nodes, and along the cores of each node") {
  for (const auto& [p, cores] : {std::pair{8U, 4U}, std::pair{12U, 3U}, std::pair{5U, 1U},
                                 std::pair{6U, 6U}, std::pair{1U, 1U}, std::pair{11U, 4U},
                                 std::pair{9U, 4U}, std::pair{3U, 5U}, std::pair{2U, 1U}}) {
    for (const Rank root : {0U, p - 1}) {
      INFO("p=" << p << " C=" << cores << " root=" << root);
      Problem problem = problem_of(Collective::bcast, p, 10, root);
      problem.segment_bytes = 4 * kElement;  // 10 elements are 3 segments
      problem.ranks_per_node = cores;
      const Schedule schedule = make("bcast/smp_linear", problem);
      const std::uint32_t nodes = (p + cores - 1) / cores;
      std::vector<Message> wanted;
      if (root != 0) {
        wanted.push_back({0, root, 0, 10});
      }
      for (Rank n = 0; n < p; ++n) {
        const std::uint32_t level = 1 + n / cores + n % cores;
        for (const std::uint64_t elements : {4U, 4U, 2U}) {
          if (n % cores == 0 && n / cores + 1 < nodes) {
            wanted.push_back({level, n, n + cores, elements});
          }
          if (n % cores + 1 < cores && n + 1 < p) {
            wanted.push_back({level, n, n + 1, elements});
          }
        }
      }
      CHECK(sorted(messages(schedule)) == sorted(wanted));
      // Level 0 is the root's message to rank 0, unless rank 0 is the root. The number of the other
      // levels is the largest number of hops from rank 0 to any rank.
      std::uint32_t hops = 0;
      for (Rank n = 0; n < p; ++n) {
        hops = std::max(hops, n / cores + n % cores);
      }
      CHECK(schedule.rounds() == hops + (root != 0 ? 1 : 0));
    }
  }
}

}  // namespace tutti::test_documented
