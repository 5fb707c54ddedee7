// Compares the contracts of the collectives with contracts that are written by hand for 3 ranks.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "schedules/collective.hpp"

namespace tutti::test_contract {
using Kind = Demand::Kind;

TEST_CASE("contracts of the collectives are right on 3 ranks") {
  for (Rank rank = 0; rank < 3; ++rank) {
    for (std::uint32_t block = 0; block < 3; ++block) {
      INFO("rank " << rank << ", block " << block);
      const auto contract = [](Collective collective) { return Contract(collective, 3, 3, 1); };
      const bool root = rank == 1;
      const bool own = rank == block;
      const Demand sum{Kind::sum, 0, block};
      const Demand nothing{};

      CHECK(contract(Collective::allreduce).demand(rank, block) == sum);
      CHECK(contract(Collective::reduce).demand(rank, block) == (root ? sum : nothing));
      CHECK(contract(Collective::reduce_scatter).demand(rank, block) == (own ? sum : nothing));
      CHECK(contract(Collective::bcast).demand(rank, block) == Demand{Kind::copy, 1, block});
      CHECK(contract(Collective::allgather).demand(rank, block) ==
            Demand{Kind::copy, block, block});
      CHECK(contract(Collective::gather).demand(rank, block) ==
            (root ? Demand{Kind::copy, block, block} : nothing));
      CHECK(contract(Collective::scatter).demand(rank, block) ==
            (own ? Demand{Kind::copy, 1, block} : nothing));
      CHECK(contract(Collective::alltoall).demand(rank, block) ==
            Demand{Kind::copy, (rank + 3 - block) % 3, block});
      CHECK(contract(Collective::barrier).demand(rank, block).kind == Kind::hearing);

      CHECK(contract(Collective::allreduce).has_input(rank, block));
      CHECK(contract(Collective::reduce).has_input(rank, block));
      CHECK(contract(Collective::reduce_scatter).has_input(rank, block));
      CHECK(contract(Collective::alltoall).has_input(rank, block));
      CHECK(contract(Collective::bcast).has_input(rank, block) == root);
      CHECK(contract(Collective::scatter).has_input(rank, block) == root);
      CHECK(contract(Collective::allgather).has_input(rank, block) == own);
      CHECK(contract(Collective::gather).has_input(rank, block) == own);

      // The v variants demand the same as the plain collectives, and so does reduce_scatter_block.
      for (const auto& [one, other] :
           {std::pair{Collective::allgather, Collective::allgatherv},
            std::pair{Collective::gather, Collective::gatherv},
            std::pair{Collective::scatter, Collective::scatterv},
            std::pair{Collective::reduce_scatter, Collective::reduce_scatter_block}}) {
        CHECK(contract(one).demand(rank, block) == contract(other).demand(rank, block));
        CHECK(contract(one).has_input(rank, block) == contract(other).has_input(rank, block));
      }
      CHECK(contract(Collective::scan).demand(rank, block) == Demand{Kind::prefix, rank, block});
      CHECK(contract(Collective::exscan).demand(rank, block) ==
            (rank == 0 ? nothing : Demand{Kind::prefix, rank - 1, block}));
      CHECK(contract(Collective::scan).has_input(rank, block));
      CHECK(contract(Collective::exscan).has_input(rank, block));
    }
  }
}

TEST_CASE("in alltoallv every pair of ranks has blocks of its own") {
  // Each pair has two blocks: those from rank 2 to rank 1 are 14 and 15.
  const Contract contract(Collective::alltoallv, 3, 18, 0);
  for (Rank rank = 0; rank < 3; ++rank) {
    for (std::uint32_t block = 0; block < 18; ++block) {
      INFO("rank " << rank << ", block " << block);
      const Rank from = block / 6;
      const Rank to = block / 2 % 3;
      CHECK(contract.has_input(rank, block) == (rank == from));
      CHECK(contract.demand(rank, block) ==
            (rank == to ? Demand{Kind::copy, from, block} : Demand{}));
    }
  }
  CHECK_THROWS_AS(Contract(Collective::alltoallv, 3, 6, 0), InvariantError);
}

TEST_CASE("ranks may own several blocks, but all the same number") {
  const Contract contract(Collective::allgather, 2, 6, 0);
  CHECK(contract.demand(0, 2) == Demand{Kind::copy, 0, 2});
  CHECK(contract.demand(0, 3) == Demand{Kind::copy, 1, 3});
  CHECK_THROWS_AS(Contract(Collective::allgather, 2, 5, 0), InvariantError);
  CHECK_NOTHROW(Contract(Collective::bcast, 2, 5, 0));
  CHECK_THROWS_AS(Contract(Collective::bcast, 2, 5, 2), InvariantError);
}

TEST_CASE("only alltoall starts with an empty work buffer") {
  for (const Collective collective : kCollectives) {
    CHECK(Contract(collective, 2, 4, 0).in_place() == (collective != Collective::alltoall));
  }
}

}  // namespace tutti::test_contract
