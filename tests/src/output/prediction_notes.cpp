#include "src/output/prediction_notes.hpp"

#include <catch2/catch.hpp>

#include <sstream>

namespace tutti::test_prediction_notes { namespace {

TEST_CASE("a difference has a sign, and as many digits as it needs") {
  CHECK(signed_percent(1, 1) == "equal");
  CHECK(signed_percent(0.547, 1) == "-45.3 %");
  CHECK(signed_percent(1.5, 1) == "+50.0 %");
  CHECK(signed_percent(3.5, 1) == "+250 %");
  CHECK(signed_percent(0.9998, 1) == "-0.02 %");
}

TEST_CASE("sentences of one pattern share a note") {
  NumberedNotes notes;
  CHECK(notes.number("the first note") == 1);
  CHECK(notes.number_of_pattern(sentence("{} needs a power of two", "a")) == 2);
  CHECK(notes.number("the first note") == 1);
  CHECK(notes.number_of_pattern(sentence("{} needs a power of two", "b")) == 2);
  CHECK(notes.number_of_pattern(sentence("{} needs an even number", "b")) == 3);
  std::ostringstream out;
  notes.print(out);
  CHECK_THAT(out.str(), Catch::Contains("a needs a power of two"));
  CHECK_THAT(out.str(), !Catch::Contains("b needs a power of two"));
  CHECK(out.str().find("the first note") < out.str().find("a needs"));
}

}}  // namespace tutti::test_prediction_notes
