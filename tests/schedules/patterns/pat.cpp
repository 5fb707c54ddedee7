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
