#include "tutti/problem.hpp"

#include <catch2/catch.hpp>

#include "tutti/error.hpp"

namespace tutti::test_public_problem { namespace {

TEST_CASE("each collective of the public library has its name") {
  for (const auto& [collective, text] : {std::pair{v1::Collective::allreduce, "allreduce"},
                                         std::pair{v1::Collective::alltoall, "alltoall"},
                                         std::pair{v1::Collective::alltoallv, "alltoallv"},
                                         std::pair{v1::Collective::exscan, "exscan"}}) {
    CHECK(v1::name(collective) == text);
    CHECK(v1::collective_named(text) == collective);
  }
}

TEST_CASE("an unknown collective is refused with a suggestion") {
  CHECK_THROWS_AS(v1::collective_named("alreduce"), v1::Error);
  CHECK_THROWS_WITH(v1::collective_named("alreduce"), Catch::Contains("allreduce"));
}

}}  // namespace tutti::test_public_problem
