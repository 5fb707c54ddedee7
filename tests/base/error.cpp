#include "base/error.hpp"

#include <catch2/catch.hpp>

namespace tutti::test_error {

TEST_CASE("a broken invariant names itself and its place, in every build type") {
  const int ranks = 0;
  CHECK_NOTHROW([&] { TUTTI_INVARIANT(ranks == 0); }());
  CHECK_THROWS_WITH([&] { TUTTI_INVARIANT(ranks > 0); }(),
                    Catch::StartsWith("broken invariant: ranks > 0 (error.cpp:"));
  CHECK_THROWS_AS([&] { TUTTI_INVARIANT(ranks > 0); }(), InvariantError);
}

TEST_CASE("an invariant needs no path in its file name") {
  CHECK_THROWS_WITH(fail_invariant("x", "plain.cpp", 3), "broken invariant: x (plain.cpp:3)");
}

}  // namespace tutti::test_error
