#include "base/error.hpp"

#include <catch2/catch.hpp>

namespace tutti::test_error {

TEST_CASE("a violated invariant reports its text and location in every build type") {
  const int ranks = 0;
  CHECK_NOTHROW([&] { TUTTI_INVARIANT(ranks == 0); }());
  CHECK_THROWS_WITH([&] { TUTTI_INVARIANT(ranks > 0); }(),
                    Catch::StartsWith("broken invariant: ranks > 0 (error.cpp:"));
  CHECK_THROWS_AS([&] { TUTTI_INVARIANT(ranks > 0); }(), InvariantError);
}

TEST_CASE("field references become flags, and the user's own text stays unchanged") {
  // The main() of the tests has selected that fields are spelled as command-line flags.
  CHECK(with_fields("$ranks '4': give $ranks_per_host") == "-p/--ranks '4': give --ranks-per-host");
  CHECK(with_fields("$platform 'my $set.xml': Open MPI's $ports") ==
        "--platform 'my $set.xml': Open MPI's --ports");
  CHECK(with_fields("p' elements, $cuts even, costs $ 5 or $5") ==
        "p' elements, --cuts even, costs $ 5 or $5");
  CHECK(with_fields("\"$schema\" is missing") == "\"$schema\" is missing");
}

TEST_CASE("an invariant accepts a file name without a path") {
  CHECK_THROWS_WITH(fail_invariant("x", "plain.cpp", 3), "broken invariant: x (plain.cpp:3)");
}

}  // namespace tutti::test_error
