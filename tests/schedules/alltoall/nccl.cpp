// Tests the rounds and channels of alltoall/nccl against NCCL's ncclP2pSchedule.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <vector>

#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_nccl_alltoall {

namespace {

Problem problem_on(std::uint32_t nodes, std::uint32_t gpus, std::uint64_t bytes_per_pair = 8) {
  Problem problem = problem_of(Collective::alltoall, nodes * gpus, nodes * gpus);
  problem.bytes = bytes_per_pair * problem.ranks;
  problem.ranks_per_node = gpus;
  return problem;
}

Schedule schedule_of(const Problem& problem) {
  return make_schedule(algorithm_named("alltoall/nccl"), problem);
}

// The peers of a rank in the order of rounds: itself, then the others.
struct Peers {
  std::vector<Rank> to;
  std::vector<Rank> from;
};

Peers peers(const Schedule& schedule, Rank rank) {
  Peers found{std::vector<Rank>(schedule.ranks(), rank), std::vector<Rank>(schedule.ranks(), rank)};
  for (const Op& op : schedule.ops()) {
    if (op.is_comm() && op.src() == rank) {
      found.to[op.label().level] = op.dst();
    }
    if (op.is_comm() && op.dst() == rank) {
      found.from[op.label().level] = op.src();
    }
  }
  return found;
}

// Returns 4 runs of 8 ranks, each of which begins with the given rank and goes up or down modulo 8.
std::vector<Rank> runs(const std::vector<Rank>& first, bool down) {
  std::vector<Rank> all;
  for (const Rank rank : first) {
    for (std::uint32_t i = 0; i < 8; ++i) {
      all.push_back(rank / 8 * 8 + (rank + (down ? 8 - i : i)) % 8);
    }
  }
  return all;
}

}  // namespace

// The expected lists are what ncclP2pSchedule of NCCL 2.30.7 (src/init.cc) computes.
TEST_CASE("the rounds of alltoall/nccl are those of NCCL 2.30.7") {
  const Schedule small = schedule_of(problem_on(2, 4));
  CHECK(peers(small, 0).to == std::vector<Rank>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(peers(small, 0).from == std::vector<Rank>{0, 3, 2, 1, 4, 7, 6, 5});
  CHECK(peers(small, 1).to == std::vector<Rank>{1, 2, 3, 0, 5, 6, 7, 4});
  CHECK(peers(small, 1).from == std::vector<Rank>{1, 0, 3, 2, 5, 4, 7, 6});
  CHECK(peers(small, 5).to == std::vector<Rank>{5, 6, 7, 4, 1, 2, 3, 0});
  CHECK(peers(small, 5).from == std::vector<Rank>{5, 4, 7, 6, 1, 0, 3, 2});
  const Schedule large = schedule_of(problem_on(4, 8));
  CHECK(peers(large, 0).to == runs({0, 8, 24, 16}, false));
  CHECK(peers(large, 0).from == runs({0, 24, 8, 16}, true));
  CHECK(peers(large, 1).to == runs({1, 9, 25, 17}, false));
  CHECK(peers(large, 1).from == runs({1, 25, 9, 17}, true));
  CHECK(peers(large, 9).to == runs({9, 17, 1, 25}, false));
  CHECK(peers(large, 9).from == runs({9, 1, 17, 25}, true));
}

TEST_CASE("groups of alltoall/nccl have a size that divides 8 and the GPUs of a node") {
  // Nodes of 6 GPUs have groups of 2, whose distances are 0, 1, 3, 2 of 4 groups.
  CHECK(peers(schedule_of(problem_on(2, 6)), 0).to ==
        std::vector<Rank>{0, 1, 2, 3, 6, 7, 4, 5, 10, 11, 8, 9});
  // A single node is one group.
  CHECK(peers(schedule_of(problem_on(1, 6)), 1).to == std::vector<Rank>{1, 2, 3, 4, 5, 0});
}

TEST_CASE("a channel of alltoall/nccl moves 8 messages in each direction at a time") {
  // With 2 channels, the groups of rounds 0-7 and 16-23 use channel 0, the others channel 1.
  Problem problem = problem_on(4, 8);
  problem.channels = 2;
  const Schedule schedule = schedule_of(problem);
  std::map<std::pair<std::uint32_t, Rank>, OpId> sent;  // by round and sender
  std::map<std::pair<std::uint32_t, Rank>, OpId> received;
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (op.is_comm()) {
      sent[{op.label().level, op.src()}] = id;
      received[{op.label().level, op.dst()}] = id;
    }
  }
  for (const auto& [number, id] : sent) {
    const auto round = number.first;
    const Op& op = schedule.op(id);
    const auto list = schedule.predecessors(id);
    std::vector<OpId> after(list.begin(), list.end());
    std::ranges::sort(after);
    // Round 0 has no messages. So round 16 is the eighth one of channel 0, and round 17 the ninth.
    const std::uint32_t before = round >= 17 ? round - 16 : 0;
    if (before == 0) {
      CHECK(after.empty());
      continue;
    }
    std::vector<OpId> wanted{sent.at({before, op.src()}), received.at({before, op.dst()})};
    std::ranges::sort(wanted);
    wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
    CHECK(after == wanted);
  }
}

TEST_CASE("alltoall/nccl cuts long messages into parts for several channels") {
  const auto parts = [](std::uint32_t nodes, std::uint32_t gpus, std::uint64_t bytes) {
    const Schedule schedule = schedule_of(problem_on(nodes, gpus, bytes));
    return schedule.blocks() / schedule.ranks();
  };
  // 16 channels, 4 of them for each peer of 32 ranks; a part of a message has at most 128 KiB.
  CHECK(parts(4, 8, 128U << 10U) == 1);
  CHECK(parts(4, 8, 256U << 10U) == 2);
  CHECK(parts(4, 8, 4U << 20U) == 4);
  // 64 ranks: 2 channels for each peer.
  CHECK(parts(8, 8, 4U << 20U) == 2);
  // 8 ranks on 2 nodes with 8 channels: a message is cut in any case if it has 64 KiB.
  CHECK(parts(2, 4, 64U << 10U) == 1);
  CHECK(parts(2, 4, 8U << 20U) == 4);
}

}  // namespace tutti::test_nccl_alltoall
