#include "base/quantities.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

namespace tutti::test_quantities {
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

TEST_CASE("Sizes are read with and without a unit") {
  CHECK(parse_bytes("-n", "0") == 0);
  CHECK(parse_bytes("-n", "1000") == 1000);
  CHECK(parse_bytes("-n", "17B") == 17);
  CHECK(parse_bytes("-n", "1K") == 1024);
  CHECK(parse_bytes("-n", "1k") == 1024);
  CHECK(parse_bytes("-n", "3KiB") == 3072);
  CHECK(parse_bytes("-n", "1MiB") == 1U << 20U);
  CHECK(parse_bytes("-n", "2G") == std::uint64_t{2} << 30U);
  CHECK(parse_bytes("-n", "15TiB") == std::uint64_t{15} << 40U);
  CHECK(parse_bytes("-n", "1.5K") == 1536);
  CHECK(parse_bytes("-n", "0.5GiB") == 1U << 29U);
  CHECK(parse_bytes("-n", "17592186044415") == (std::uint64_t{1} << 44U) - 1);
}

TEST_CASE("An invalid size is refused with its name and value") {
  for (const std::string text :
       {"", "x", "K", "-1", "+1", ".5K", "1.5", "1.0001K", "0x10", "1..2", "1,2", "nan", "16T",
        "17592186044416", "18446744073709551616", "99999999999999999999999",
        "99999999999999999999G", "1KiBB", "1Q"}) {
    CHECK_THROWS_AS(parse_bytes("-n/--bytes", text), UserError);
    CHECK_THROWS_WITH(parse_bytes("-n/--bytes", text),
                      Contains("-n/--bytes '" + text + "'") && Contains("expected "));
  }
}

TEST_CASE("A size in another notation is read, or refused with sizes that are accepted") {
  CHECK(parse_bytes("-n", "64 MiB") == std::uint64_t{64} << 20U);
  CHECK(parse_bytes("-n", "64\u00a0mib") == std::uint64_t{64} << 20U);
  CHECK(parse_bytes("-n", "17 bytes") == 17);
  CHECK_THROWS_WITH(parse_bytes("-n", "64KB"),
                    Equals("-n '64KB': KB could mean a power of 1000 or of 1024; write 64K or "
                           "64000"));
  CHECK_THROWS_WITH(parse_bytes("-n", "1.5mb"), Contains("write 1.5m or 1500000"));
  CHECK_THROWS_WITH(parse_bytes("-n", "1e6"), Equals("-n '1e6': not a size; write 1000000"));
  CHECK_THROWS_WITH(parse_bytes("-n", "1."), Contains("write 1"));
  CHECK_THROWS_WITH(parse_bytes("-n", "1,048,576"), Contains("write 1048576"));
  CHECK_THROWS_WITH(parse_bytes("-n", "20TB"), Contains("expected a whole number of bytes"));
}

TEST_CASE("A count in another notation is refused with counts that are accepted") {
  CHECK_THROWS_WITH(parse_count("-p", "16x8"), Equals("-p '16x8': not a whole number; write 128"));
  CHECK_THROWS_WITH(parse_count("-p", "16\u00d78"), Contains("write 128"));
  CHECK_THROWS_WITH(parse_count("-p", "1e3"), Contains("write 1000"));
  CHECK_THROWS_WITH(parse_count("-p", "1,024"), Contains("write 1024"));
  CHECK_THROWS_WITH(parse_count("-p", "1'024"), Contains("write 1024"));
  CHECK_THROWS_WITH(parse_count("-p", "4k"), Contains("write 4000 or 4096"));
  CHECK_THROWS_WITH(parse_count("-p", "4k", 4000), Contains("write 4000") && !Contains("4096"));
  CHECK_THROWS_WITH(parse_count("-p", "1e3", 100), Contains("expected a whole number up to 100"));
  CHECK_THROWS_WITH(parse_counts("-p", "1,024"), Contains("write 1024"));
  CHECK_THROWS_WITH(parse_counts("-p", "0-4"), Contains("write 0..4 or 0,4"));
  CHECK_THROWS_WITH(parse_byte_list("-n", "1K..2M"),
                    Contains("more than 1000000 values; write 1K..2M*2"));
  CHECK(parse_counts("-p", "4, 8") == std::vector<std::uint32_t>{4, 8});
  CHECK(parse_counts("-p", "4\u20268") == std::vector<std::uint32_t>{4, 5, 6, 7, 8});
}

TEST_CASE("Counts are read") {
  CHECK(parse_count("-p", "0") == 0);
  CHECK(parse_count("-p", "4294967294") == 4294967294U);
  CHECK(parse_count("-p", "007") == 7);
  for (const std::string text :
       {"", "-1", "1.0", "four", "4294967295", "18446744073709551617", "1K", " 1", "1 "}) {
    CHECK_THROWS_AS(parse_count("-p", text), UserError);
  }
  CHECK_THROWS_AS(parse_count("--ports", "11", 10), UserError);
}

TEST_CASE("Lists, ranges and multiples are read") {
  using Counts = std::vector<std::uint32_t>;
  using Sizes = std::vector<std::uint64_t>;
  CHECK(parse_counts("-p", "4") == Counts{4});
  CHECK(parse_counts("-p", "4,8,16") == Counts{4, 8, 16});
  CHECK(parse_counts("-p", "2..5") == Counts{2, 3, 4, 5});
  CHECK(parse_counts("-p", "7..7") == Counts{7});
  CHECK(parse_counts("-p", "2..4,16,3..4") == Counts{2, 3, 4, 16, 3, 4});
  CHECK(parse_counts("-p", "2..64*2") == Counts{2, 4, 8, 16, 32, 64});
  CHECK(parse_counts("-p", "3..64*4") == Counts{3, 12, 48});
  CHECK(parse_byte_list("-n", "8..64*2") == Sizes{8, 16, 32, 64});
  CHECK(parse_byte_list("-n", "1K..16MiB*16") == Sizes{1024, 16384, 262144, 4194304});
  CHECK(parse_byte_list("-n", "0,1K") == Sizes{0, 1024});
  CHECK(parse_byte_list("-n", "1..15T*4000000000") == Sizes{1, 4'000'000'000});
  for (const std::string text : {"", ",", "4,", ",4", "5..2", "..", "2..", "..4", "2..4*", "2..4*1",
                                 "2..4*0", "0..4*2", "2*4", "2...4", "1..4..8", "0..4000000000"}) {
    CHECK_THROWS_AS(parse_counts("-p", text), UserError);
  }
  CHECK_THROWS_WITH(parse_counts("-p", "5..2"), Contains("backwards"));
  CHECK_THROWS_WITH(parse_counts("--ranks", "4-64"),
                    Equals("--ranks '4-64': not a number or range; write 4..64, 4..64*2 or 4,64"));
  CHECK_THROWS_WITH(parse_byte_list("-n", "1K:1MiB"),
                    Equals("-n '1K:1MiB': not a number or range; write 1K..1MiB*2 or "
                           "1K,1MiB"));
  CHECK_THROWS_WITH(parse_count("-p", "8..1024*2"),
                    Contains("only one number is allowed here, not a list or range"));
  CHECK_THROWS_WITH(parse_bytes("-n", "8,16"),
                    Contains("only one size is allowed here, not a list or range"));
}

TEST_CASE("Times, rates and prices are read") {
  CHECK(parse_time_s("--alpha", "2us") == Approx(2e-6));
  CHECK(parse_time_s("--alpha", "1.5ms") == Approx(1.5e-3));
  CHECK(parse_time_s("--alpha", "1e-6") == Approx(1e-6));
  CHECK(parse_time_s("--alpha", "2e2ns") == Approx(2e-7));
  CHECK(parse_time_s("--alpha", "0") == 0);
  CHECK(parse_rate("--bandwidth", "10Gbps") == Approx(1.25e9));
  CHECK(parse_rate("--bandwidth", "1.25GBps") == Approx(1.25e9));
  CHECK(parse_rate("--bandwidth", "1GiBps") == Approx(1024.0 * 1024 * 1024));
  CHECK(parse_rate("--bandwidth", "100bps") == Approx(12.5));
  for (const std::string text :
       {"10Gb/s", "10 Gbit/s", "10Gbit", "1.25GB/s", "1.25GByte/s", "10gbps"}) {
    CHECK(parse_rate("--bandwidth", text) == Approx(1.25e9));
    CHECK(parse_s_per_byte("--beta", text) == Approx(8e-10));
  }
  CHECK_THROWS_WITH(parse_rate("--bw", "400G"),
                    Equals("--bw '400G': 'G' is not a unit of rate; write 400Gbps or 400GBps"));
  CHECK_THROWS_WITH(parse_rate("--bw", "400Gb"), Contains("write 400Gbps"));
  CHECK_THROWS_WITH(parse_rate("--bw", "400GB"), Contains("write 400GBps or 400Gbps"));
  CHECK(parse_time_s("--alpha", "1.5\u00b5s") == Approx(1.5e-6));
  CHECK(parse_time_s("--alpha", "1.5 usec") == Approx(1.5e-6));
  CHECK_THROWS_WITH(parse_time_s("--alpha", "2US"), Contains("write 2us"));
  CHECK_THROWS_WITH(parse_time_s("--plan", "10m"), Contains("write 10ms or 10min"));
  CHECK_THROWS_WITH(parse_time_s("--plan", "60", "min"),
                    Equals("--plan '60': no unit; write 60min, or 60s for seconds"));
  CHECK_THROWS_WITH(parse_number("--x", "0,5"), Contains("write 0.5"));
  CHECK_THROWS_WITH(parse_number("--x", "50%"), Contains("write 0.5"));
  CHECK_THROWS_WITH(parse_percentage("--sure", "0.8"), Contains("write 80%"));
  CHECK_THROWS_WITH(parse_percentage("--sure", "80"), Contains("write 80%"));
  CHECK(parse_s_per_byte("--beta", "0.8ns/B") == Approx(8e-10));
  CHECK(parse_s_per_byte("--beta", "0.8ns") == Approx(8e-10));
  CHECK(parse_s_per_byte("--beta", "10Gbps") == Approx(8e-10));
  CHECK(parse_s_per_byte("--beta", "8e-10") == Approx(8e-10));
  CHECK(parse_s_per_byte("--beta", "800ps") == Approx(8e-10));
  // A number without a unit is ambiguous: 5 microseconds or 5 seconds.
  CHECK_THROWS_WITH(parse_time_s("--alpha", "5"),
                    Equals("--alpha '5': no unit; write 5us, or 5s for seconds"));
  CHECK_THROWS_WITH(parse_s_per_byte("--beta", "0.8"), Contains("write 0.8ns"));
  CHECK_THROWS_WITH(parse_rate("--bw", "200"),
                    Equals("--bw '200': no unit; write 200Gbps (bits) or 25GBps (bytes)"));
  CHECK_THROWS_WITH(parse_rate("--bw", "12500000000"),
                    Equals("--bw '12500000000': no unit; write 12500000000bps (bits) or "
                           "1.5625e+09Bps (bytes)"));
  CHECK(parse_s_per_byte("--beta", "0") == 0);
  CHECK(parse_time_s("--plan", "1.5min") == 90);
  CHECK(parse_time_s("--plan", "2h") == 7200);
  for (const std::string text : {"", "-1us", "1d", "us", "1e", "inf", "nan", "1us2", "1e999"}) {
    CHECK_THROWS_AS(parse_time_s("--alpha", text), UserError);
    CHECK_THROWS_AS(parse_s_per_byte("--beta", text), UserError);
  }
  // Values that would overflow or underflow are refused; the error names the option.
  CHECK(parse_time_s("--alpha", "1e9") == 1e9);
  CHECK(parse_s_per_byte("--beta", "1e-24") == 1e-24);
  for (const std::string text : {"1.1e9", "1e300", "1e-25", "1e-320", "1e-315ps"}) {
    CHECK_THROWS_WITH(parse_time_s("--alpha", text),
                      Contains("'" + text + "': must be 0 or between"));
    CHECK_THROWS_WITH(parse_s_per_byte("--beta", text), Contains("--beta '" + text + "'"));
  }
  for (const std::string text : {"1e300Gbps", "1e-300Gbps"}) {
    CHECK_THROWS_WITH(parse_rate("--bw", text), Contains("must be between"));
    CHECK_THROWS_WITH(parse_s_per_byte("--beta", text), Contains("must be between"));
  }
  for (const std::string text :
       {"", "10", "10G", "0Gbps", "-1Gbps", "1Xbps", "1iBps", "Gbps", "1ps", "1GGbps"}) {
    CHECK_THROWS_AS(parse_rate("--bandwidth", text), UserError);
  }
}

}  // namespace tutti::test_quantities
