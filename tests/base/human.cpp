#include "base/human.hpp"

#include <catch2/catch.hpp>

namespace tutti::test_human {

TEST_CASE("Times are shown in a suitable unit") {
  CHECK(human_time(0) == "0 s");
  CHECK(human_time(1.5) == "1.5 s");
  CHECK(human_time(0.001) == "1 ms");
  CHECK(human_time(9.999999999e-4) == "1 ms");
  CHECK(human_time(1.23456789e-5) == "12.3457 us");
  CHECK(human_time(3e-10) == "0.3 ns");
}

TEST_CASE("Sizes, rates and counts are shown in readable form") {
  CHECK(human_bytes(0) == "0 bytes");
  CHECK(human_bytes(1) == "1 byte");
  CHECK(human_bytes(1000) == "1000 bytes");
  CHECK(human_bytes(1024) == "1 KiB");
  CHECK(human_bytes(1U << 20U) == "1 MiB");
  CHECK(human_bytes(1536) == "1.5 KiB");
  CHECK(human_rate(1.25e9) == "1.25 GB/s");
  CHECK(human_rate(1.92e12) == "1.92 TB/s");
  CHECK(human_count(7) == "7");
  CHECK(human_count(195'840) == "195,840");
  CHECK(human_count(1'234'567) == "1,234,567");
  CHECK(counted(1, "copy") == "1 copy");
  CHECK(counted(0, "copy") == "0 copies");
  CHECK(counted(2, "rank") == "2 ranks");
}

TEST_CASE("Differences are described in words") {
  CHECK(human_difference(0) == "equal to");
  CHECK(human_difference(-9e-10) == "equal to");
  CHECK(human_difference(-0.5) == "50.0 % below");
  CHECK(human_difference(0.123) == "12.3 % above");
  CHECK(human_difference(0.0012) == "0.12 % above");
  CHECK(human_difference(2e-7) == "2.0e-05 % above");
}

}  // namespace tutti::test_human
