// Compares PAT's messages with those of NCCL's PatAGAlgorithm and PatRSAlgorithm.
#include "schedules/patterns/pat.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <utility>
#include <vector>

namespace tutti::test_pat {

namespace {

// The distance between sender and receiver in ranks, and the numbers of the blocks that are sent.
using Message = std::pair<std::uint32_t, std::set<std::uint32_t>>;

std::vector<Message> listed(const std::vector<PatMessage>& messages) {
  std::vector<Message> list;
  for (const PatMessage& message : messages) {
    list.emplace_back(message.distance, std::set<std::uint32_t>{});
    for (std::uint32_t i = 0; i < message.count; ++i) {
      list.back().second.insert(message.first + i * message.stride);
    }
  }
  return list;
}

}  // namespace

TEST_CASE("PAT with two blocks in a message on 12 ranks sends the expected messages") {
  CHECK(listed(pat_allgather(12, 2)) ==
        std::vector<Message>{
            {8, {0}}, {4, {0}}, {2, {0, 4}}, {2, {8}}, {1, {0, 2}}, {1, {4, 6}}, {1, {8, 10}}});
  CHECK(listed(pat_reduce_scatter(12, 2)) == std::vector<Message>{{1, {7}},
                                                                  {1, {3, 11}},
                                                                  {1, {5}},
                                                                  {1, {1, 9}},
                                                                  {2, {6}},
                                                                  {2, {2, 10}},
                                                                  {4, {4}},
                                                                  {8, {8}}});
}

// The messages of rank 0 that NCCL 2.30.7's PatAGAlgorithm and PatRSAlgorithm
// (src/include/collectives.h) send. With 1 KiB from each rank, all blocks of a step fit into a
// message; with 500,000 bytes, a message has one block.
TEST_CASE("PAT on 4, 6 and 8 ranks sends the messages of NCCL 2.30.7 in the same order") {
  using List = std::vector<Message>;
  CHECK(listed(pat_allgather(4, 0)) == List{{2, {0}}, {1, {0, 2}}});
  CHECK(listed(pat_allgather(4, 1)) == List{{2, {0}}, {1, {0}}, {1, {2}}});
  CHECK(listed(pat_reduce_scatter(4, 0)) == List{{1, {1, 3}}, {2, {2}}});
  CHECK(listed(pat_reduce_scatter(4, 1)) == List{{1, {3}}, {1, {1}}, {2, {2}}});
  CHECK(listed(pat_allgather(8, 0)) == List{{4, {0}}, {2, {0, 4}}, {1, {0, 2, 4, 6}}});
  CHECK(listed(pat_allgather(8, 1)) ==
        List{{4, {0}}, {2, {0}}, {2, {4}}, {1, {0}}, {1, {2}}, {1, {4}}, {1, {6}}});
  CHECK(listed(pat_reduce_scatter(8, 0)) == List{{1, {1, 3, 5, 7}}, {2, {2, 6}}, {4, {4}}});
  CHECK(listed(pat_reduce_scatter(8, 1)) ==
        List{{1, {7}}, {1, {3}}, {1, {5}}, {1, {1}}, {2, {6}}, {2, {2}}, {4, {4}}});
  CHECK(listed(pat_allgather(6, 0)) == List{{4, {0}}, {2, {0}}, {1, {0, 2, 4}}});
  CHECK(listed(pat_allgather(6, 1)) == List{{4, {0}}, {2, {0}}, {1, {0}}, {1, {2}}, {1, {4}}});
  CHECK(listed(pat_reduce_scatter(6, 0)) == List{{1, {1, 3, 5}}, {2, {2}}, {4, {4}}});
  CHECK(listed(pat_reduce_scatter(6, 1)) == List{{1, {3}}, {1, {5}}, {1, {1}}, {2, {2}}, {4, {4}}});
}

TEST_CASE("PAT sends each block once, and no message exceeds its bound") {
  for (std::uint32_t p = 1; p <= 200; ++p) {
    for (const std::uint32_t most : {0U, 1U, 2U, 3U, 4U, 16U, 100U}) {
      INFO("p=" << p << ", at most " << most);
      std::uint32_t gathered = 0;
      for (const PatMessage& message : pat_allgather(p, most)) {
        gathered += message.count;
        CHECK((most == 0 || message.count <= most));
      }
      CHECK(gathered == p - 1);
      std::uint32_t scattered = 0;
      for (const PatMessage& message : pat_reduce_scatter(p, most)) {
        scattered += message.count;
        CHECK((most == 0 || message.count <= most));
      }
      CHECK(scattered == p - 1);
    }
  }
}

}  // namespace tutti::test_pat
