#include "cost_models/lower_bounds.hpp"

#include <catch2/catch.hpp>

namespace tutti::test_lower_bounds {

namespace {

constexpr Prices kPrices{1e-6, 1e-9, 1e-10, 0};

LowerBounds bounds(Collective collective, std::uint32_t ranks, std::uint64_t bytes, Rank root = 0) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.bytes = bytes;
  problem.root = root;
  return lower_bounds(problem, kPrices);
}

void check(const LowerBounds& found, double alphas, double sent_bytes, double reduced_bytes) {
  CHECK(found.latency_s == Approx(alphas * 1e-6).margin(0));
  CHECK(found.bandwidth_s == Approx(sent_bytes * 1e-9).margin(0));
  CHECK(found.reduction_s == Approx(reduced_bytes * 1e-10).margin(0));
}

}  // namespace

TEST_CASE("lower bounds of an even split match known values") {
  check(bounds(Collective::allreduce, 10, 8000), 4, 14400, 7200);
  check(bounds(Collective::bcast, 10, 8000), 4, 8000, 0);
  check(bounds(Collective::reduce, 10, 8000), 4, 8000, 7200);
  check(bounds(Collective::reduce_scatter, 10, 8000), 4, 7200, 7200);
  check(bounds(Collective::allgather, 10, 8000), 4, 7200, 0);
  check(bounds(Collective::alltoall, 10, 8000), 4, 7200, 0);
  check(bounds(Collective::gather, 10, 8000, 3), 4, 7200, 0);
  check(bounds(Collective::scatter, 10, 8000, 9), 4, 7200, 0);
  check(bounds(Collective::barrier, 10, 0), 4, 0, 0);
  check(bounds(Collective::allgatherv, 10, 8000), 4, 7200, 0);
  check(bounds(Collective::gatherv, 10, 8000, 3), 4, 7200, 0);
  check(bounds(Collective::scatterv, 10, 8000, 9), 4, 7200, 0);
  check(bounds(Collective::reduce_scatter_block, 10, 8000), 4, 7200, 7200);
  check(bounds(Collective::alltoallv, 10, 8000), 4, 7200, 0);
  check(bounds(Collective::scan, 10, 8000), 4, 8000, 7200);
  check(bounds(Collective::exscan, 10, 8000), 4, 8000, 6400);
}

TEST_CASE("the lower bound of alltoallv comes from the rank that sends or receives most") {
  Problem problem;
  problem.collective = Collective::alltoallv;
  problem.ranks = 3;
  problem.bytes = 64;
  // Rank 2 receives 40 bytes from rank 0 and 16 from rank 1; its own block is not sent.
  problem.block_bytes = {0, 8, 40, 0, 0, 16, 0, 0, 8};
  check(lower_bounds(problem, kPrices), 2, 56, 0);
}

TEST_CASE("lower bounds are 0 on one rank and for an empty vector") {
  for (const Collective collective : kCollectives) {
    check(bounds(collective, 1, 800), 0, 0, 0);
    if (collective != Collective::barrier) {
      check(bounds(collective, 7, 0), 0, 0, 0);
    }
  }
}

TEST_CASE("lower bounds also hold for unequal blocks") {
  // With 3 elements on 8 ranks, only ranks 0 to 2 own an element.
  check(bounds(Collective::gather, 8, 24, 0), 2, 16, 0);
  check(bounds(Collective::gather, 8, 24, 7), 2, 24, 0);
  check(bounds(Collective::allgather, 8, 24), 3, 24, 0);
  // With one element on two ranks, rank 0 owns it. Rank 0 is the root, so it already has the
  // element.
  check(bounds(Collective::scatter, 2, 8, 0), 0, 0, 0);
  check(bounds(Collective::alltoall, 4, 16), 1, 8, 0);

  Problem problem;
  problem.collective = Collective::reduce_scatter;
  problem.ranks = 3;
  problem.bytes = 24;
  problem.block_bytes = {0, 24, 0};
  check(lower_bounds(problem, kPrices), 2, 24, 16);
}

TEST_CASE("the total lower bound is the largest of the three") {
  CHECK(LowerBounds{1, 2, 3}.total_s() == 3);
  CHECK(LowerBounds{5, 2, 3}.total_s() == 5);
}

}  // namespace tutti::test_lower_bounds
