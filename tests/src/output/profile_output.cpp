#include "src/output/profile_output.hpp"

#include <catch2/catch.hpp>

namespace tutti::test_profile_output { namespace {

TEST_CASE("a number of calls has a digit only if it is a mean over ranks") {
  CHECK(calls_in_words(1200) == "1,200");
  CHECK(calls_in_words(12.5) == "12.5");
}

TEST_CASE("a saving names the calls that it does not include") {
  CHECK(saving_in_words(3.4, 2.2, 0) == "saves 1.2 s of the 3.4 s spent in collectives (35.3 %)");
  CHECK(saving_in_words(3.4, 2.2, 7) ==
        "saves 1.2 s of the 3.4 s spent in collectives (35.3 %; without 7 calls whose times are "
        "unknown)");
  CHECK(saving_in_words(0, 0, 7) ==
        "nothing could be judged: the times of all 7 calls are unknown");
}

}}  // namespace tutti::test_profile_output
