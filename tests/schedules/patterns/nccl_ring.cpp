// Tests the schedules of NCCL's rings: the messages of two machines, worked out from NCCL 2.30.7's
// kernels, how vectors are cut, and the proof on up to 9 nodes of up to 8 GPUs.
#include "schedules/patterns/nccl_ring.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/sanitized.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_nccl_ring {

namespace {

constexpr std::uint64_t kKiB = 1024;

Problem on_nodes(Collective collective, std::uint32_t nodes, std::uint32_t gpus,
                 std::uint64_t bytes, std::uint32_t channels, RingOrder order) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = nodes * gpus;
  problem.ranks_per_node = gpus;
  problem.bytes = bytes;
  problem.channels = channels;
  problem.ring_order = order;
  return problem;
}

using Edge = std::pair<Rank, Rank>;

// The messages of one channel of a schedule in which every chunk is cut into two slices.
struct Channel {
  std::map<Edge, std::uint32_t> messages;
  std::set<std::uint64_t> bytes;
  // For each step and sender: the number of the chunk.
  std::map<std::pair<std::uint32_t, Rank>, std::uint32_t> chunk;

  [[nodiscard]] std::set<Edge> between_nodes(std::uint32_t gpus) const {
    std::set<Edge> edges;
    for (const auto& [edge, count] : messages) {
      if (edge.first / gpus != edge.second / gpus) {
        edges.insert(edge);
      }
    }
    return edges;
  }
};

Channel channel_of(const Schedule& schedule, std::uint32_t channel) {
  Channel found;
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (!op.is_comm() || op.label().segment / 2 != channel) {
      continue;
    }
    ++found.messages[{op.src(), op.dst()}];
    found.bytes.insert(op.bytes());
    const std::uint32_t block = schedule.payload(id).from.first;
    found.chunk[{op.label().level, op.src()}] = block / 2 % schedule.ranks();
  }
  return found;
}

std::vector<std::uint64_t> elements_of(const Problem& problem) {
  return NcclLoops(problem).lengths();
}

}  // namespace

TEST_CASE("the ring allreduce of 64 MiB on 2 nodes of 4 H100 sends NCCL's messages") {
  const Schedule schedule =
      make_schedule(algorithm_named("allreduce/nccl_ring"),
                    on_nodes(Collective::allreduce, 2, 4, 65536 * kKiB, 16, RingOrder::own));
  CHECK(schedule.scratch_slots() == 4);
  CHECK(schedule.messages() == 16 * 8 * 28);
  const std::vector<std::set<Edge>> between{
      {{1, 4}, {5, 0}}, {{2, 5}, {6, 1}}, {{3, 6}, {7, 2}}, {{0, 7}, {4, 3}}};
  for (std::uint32_t c = 0; c < 16; ++c) {
    INFO("channel " << c);
    const Channel channel = channel_of(schedule, c);
    CHECK(channel.between_nodes(4) == between[c % 4]);
    CHECK(channel.bytes == std::set<std::uint64_t>{256 * kKiB});
    CHECK(channel.messages.size() == 8);
    for (const auto& [edge, count] : channel.messages) {
      CHECK(count == 28);  // 14 chunks of 512 KiB, in two slices
    }
  }
  const Channel first = channel_of(schedule, 0);
  const std::vector<Rank> ring{0, 3, 2, 1, 4, 7, 6, 5};
  for (std::uint32_t step = 0; step < 14; ++step) {
    for (std::uint32_t place = 0; place < 8; ++place) {
      INFO("step " << step + 1 << ", place " << place);
      // In step 1, GPU 0 sends chunk 7, GPU 3 chunk 0, and so on; in step 8, the finished chunks.
      CHECK(first.chunk.at({step, ring[place]}) == (place + 16 - 1 - step) % 8);
    }
  }
}

TEST_CASE("the ring allreduce of 64 MiB on 4 nodes of 8 H100 sends NCCL's messages") {
  const Schedule schedule =
      make_schedule(algorithm_named("allreduce/nccl_ring"),
                    on_nodes(Collective::allreduce, 4, 8, 65536 * kKiB, 16, RingOrder::crossed));
  CHECK(schedule.messages() == std::uint64_t{16} * 32 * 62 * 2);
  const std::vector<std::set<Edge>> between{{{1, 9}, {8, 16}, {17, 25}, {24, 0}},
                                            {{0, 8}, {9, 17}, {16, 24}, {25, 1}}};
  for (std::uint32_t c = 0; c < 16; ++c) {
    INFO("channel " << c);
    const Channel channel = channel_of(schedule, c);
    if (c % 8 < 2) {
      CHECK(channel.between_nodes(8) == between[c % 8]);
    }
    CHECK(channel.bytes == std::set<std::uint64_t>{64 * kKiB});
    for (const auto& [edge, count] : channel.messages) {
      CHECK(count == 124);
    }
  }
}

TEST_CASE("chunks, slices and slots follow the protocol") {
  Problem problem = on_nodes(Collective::allreduce, 1, 4, 1U << 30U, 1, RingOrder::own);
  const auto pieces = [&](Collective collective, Protocol protocol) {
    problem.collective = collective;
    problem.protocol = protocol;
    const NcclPieces found(problem);
    return std::tuple(found.chunk * problem.element_bytes, found.slices, found.slots);
  };
  CHECK(pieces(Collective::allreduce, Protocol::simple) == std::tuple(2048 * kKiB, 2U, 4U));
  CHECK(pieces(Collective::allgather, Protocol::simple) == std::tuple(2048 * kKiB, 2U, 4U));
  CHECK(pieces(Collective::reduce_scatter, Protocol::ll) == std::tuple(32 * kKiB, 1U, 8U));
  CHECK(pieces(Collective::allreduce, Protocol::ll128) ==
        std::tuple(std::uint64_t{576000}, 1U, 8U));
  CHECK(pieces(Collective::bcast, Protocol::simple) == std::tuple(512 * kKiB, 1U, 8U));
  CHECK(pieces(Collective::reduce, Protocol::ll) == std::tuple(32 * kKiB, 1U, 8U));
  // A slice is half of a chunk, but not shorter than 32 KiB.
  problem.collective = Collective::allreduce;
  problem.protocol = Protocol::simple;
  CHECK(NcclPieces(problem).first_slice(65536) == 32768);
  CHECK(NcclPieces(problem).first_slice(6000) == 4096);
  CHECK(NcclPieces(problem).first_slice(4000) == 4000);
}

TEST_CASE("an allreduce's last loop has chunks of whole grains of 16 bytes") {
  // 2 channels of 43 and 42 elements. A loop has 4 chunks of 6 elements. In the last loop of
  // channel 0, chunks have ceil(19 / 4) = 5 elements, rounded up to 6.
  Problem problem = on_nodes(Collective::allreduce, 1, 4, 85 * 8, 2, RingOrder::own);
  problem.protocol = Protocol::ll;
  problem.segment_bytes = 48;
  CHECK(elements_of(problem) ==
        std::vector<std::uint64_t>{6, 6, 6, 6, 6, 6, 6, 1, 6, 6, 6, 6, 6, 6, 6, 0});
  // The chunks of a loop are cut into two slices if the first of them is.
  problem.protocol = Protocol::simple;
  problem.channels = 1;
  problem.bytes = 8 * 70;
  problem.segment_bytes = 20 * 8;
  CHECK(elements_of(problem) == std::vector<std::uint64_t>{16, 2, 16, 2, 16, 2, 16, 0});
}

TEST_CASE("each rank's block is cut into the chunks of all channels") {
  Problem problem = on_nodes(Collective::allgather, 1, 3, 8 * 32, 2, RingOrder::own);
  problem.protocol = Protocol::ll;
  problem.segment_bytes = 32;
  // Blocks of 11, 11 and 10 elements; channel 0 has 6, 6 and 5 of them.
  CHECK(elements_of(problem) == std::vector<std::uint64_t>{4, 2, 4, 1, 4, 2, 4, 1, 4, 1, 4, 1});
}

TEST_CASE("a bcast goes around the ring of each channel from the root") {
  Problem problem = on_nodes(Collective::bcast, 2, 4, 8192 * kKiB, 4, RingOrder::own);
  problem.root = 5;
  const Schedule schedule = make_schedule(algorithm_named("bcast/nccl_ring"), problem);
  CHECK(schedule.scratch_slots() == 4);  // there are only 4 chunks of 512 KiB in a channel
  CHECK(schedule.messages() == 4 * 4 * 7);
  std::map<std::uint32_t, std::vector<Edge>> hops;
  for (const Op& op : schedule.ops()) {
    if (op.is_comm() && op.label().segment < 4) {
      CHECK(op.bytes() == 512 * kKiB);
      hops[op.label().segment].emplace_back(op.src(), op.dst());
    }
  }
  CHECK(hops[0] == std::vector<Edge>{{5, 0}, {0, 3}, {3, 2}, {2, 1}, {1, 4}, {4, 7}, {7, 6}});
  CHECK(hops[1] == std::vector<Edge>{{5, 4}, {4, 7}, {7, 6}, {6, 1}, {1, 0}, {0, 3}, {3, 2}});
}

namespace {

std::uint32_t none(std::uint32_t) { return 0; }

// Proves all algorithms on all machines, or on every `stride`-th. The last node has missing(gpus)
// GPUs less than the others.
std::size_t prove(std::size_t stride, std::uint32_t (*missing)(std::uint32_t gpus)) {
  std::size_t turn = 0;
  std::size_t proved = 0;
  for (const char* name : {"allreduce/nccl_ring", "allgather/nccl_ring", "reduce_scatter/nccl_ring",
                           "bcast/nccl_ring", "reduce/nccl_ring"}) {
    const Algorithm& algorithm = algorithm_named(name);
    for (std::uint32_t nodes = 1; nodes <= 9; ++nodes) {
      for (std::uint32_t gpus = 1; gpus <= 8; ++gpus) {
        for (std::uint32_t cards = 1; cards <= gpus; ++cards) {
          for (const RingOrder order : {RingOrder::own, RingOrder::paired, RingOrder::crossed}) {
            for (const Protocol protocol : {Protocol::simple, Protocol::ll}) {
              if (gpus % cards != 0 || turn++ % stride != 0) {
                continue;
              }
              // With many ranks, two channels are proved, which cover both directions.
              const std::uint32_t channels = nodes * gpus > 16 ? 2 : 0;
              Problem problem = on_nodes(algorithm.collective, nodes, gpus, 8, channels, order);
              problem.ranks -= missing(gpus);
              problem.cards = cards;
              problem.protocol = protocol;
              // Two loops, the last of which is not full.
              const std::uint64_t rings = kNcclRings.of(problem);
              problem.segment_bytes = 40 * 8;
              problem.bytes = 8 * (55 * problem.ranks * rings + 7);
              if (has_root(algorithm.collective)) {
                problem.bytes = 8 * (405 * rings + 1);
                problem.root = static_cast<Rank>(turn % problem.ranks);
              }
              INFO(name << ' ' << nodes << 'x' << gpus << ' ' << options_text(algorithm, problem));
              const Verdict verdict = verify(make_schedule(algorithm, problem), {});
              CHECK(verdict.proved());
              ++proved;
            }
          }
        }
      }
    }
  }
  return proved;
}

}  // namespace

// The proofs do not see this, because a scratch slot has room for every block.
TEST_CASE("a message of a ring waits until the receiver has emptied its slot, and not longer") {
  for (const char* name : {"allreduce/nccl_ring", "allgather/nccl_ring", "reduce_scatter/nccl_ring",
                           "bcast/nccl_ring", "reduce/nccl_ring"}) {
    const Algorithm& algorithm = algorithm_named(name);
    for (const Protocol protocol : {Protocol::simple, Protocol::ll}) {
      Problem problem = on_nodes(algorithm.collective, 2, 8, 8 * 16 * 1600, 1, RingOrder::own);
      problem.protocol = protocol;
      problem.segment_bytes = 40 * 8;
      const Schedule schedule = make_schedule(algorithm, problem);
      const bool slices = protocol == Protocol::simple && !has_root(algorithm.collective);
      const std::size_t slots = slices ? 4 : 8;
      // By receiver: what it did with each message that arrived, in order.
      std::map<Rank, std::vector<OpId>> handled;
      std::map<Rank, std::size_t> sent;
      std::size_t waiting = 0;
      for (OpId id = 0; id < schedule.size(); ++id) {
        const Op& op = schedule.op(id);
        if (!op.is_comm()) {
          handled[op.dst()].push_back(id);
          continue;
        }
        std::vector<OpId> of_receiver;
        for (const OpId before : schedule.predecessors(id)) {
          if (!schedule.op(before).is_comm() && schedule.op(before).dst() == op.dst()) {
            of_receiver.push_back(before);
          }
        }
        const std::size_t number = sent[op.dst()]++;
        const std::vector<OpId> expected =
            number < slots ? std::vector<OpId>() : std::vector{handled[op.dst()][number - slots]};
        REQUIRE(of_receiver == expected);
        waiting += expected.size();
      }
      CHECK(waiting > 1000);
    }
  }
}

TEST_CASE("NCCL's rings are proved on 1 to 9 nodes of 1 to 8 GPUs") {
  CHECK(prove(kSanitized ? 401 : 101, none) > (kSanitized ? 10 : 50));
}

TEST_CASE("NCCL's rings are proved if the last node has fewer GPUs") {
  CHECK(prove(kSanitized ? 401 : 101, [](std::uint32_t gpus) { return gpus / 2; }) >
        (kSanitized ? 10 : 50));
  CHECK(prove(kSanitized ? 401 : 101, [](std::uint32_t gpus) { return gpus - 1; }) >
        (kSanitized ? 10 : 50));
}

TEST_CASE("NCCL's rings are proved on 1 to 9 nodes of 1 to 8 GPUs, with all orders", "[slow]") {
  CHECK(prove(1, none) == 5400);
}

}  // namespace tutti::test_nccl_ring
