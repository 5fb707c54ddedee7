// Numbers as users write them: sizes, times, rates, and lists of them.
//
// Every function takes what the value is for (an option's name, such as "-n/--bytes"), and throws
// UserError that names it, the value, and what would be accepted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline base {

// What a message of a schedule holds at most: a little less than 16 TiB.
inline constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 44U) - 1;

// 64; digits only, at most `max`.
[[nodiscard]] std::uint32_t parse_count(std::string_view what, std::string_view text,
                                        std::uint32_t max = 0xfffffffeU);

// 512, 1K = 1KiB = 1024, 1.5MiB, 2G, 1TiB; at most 16 TiB.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view what, std::string_view text);

// 0, 1, 0.25: digits with at most one point, not negative.
[[nodiscard]] double parse_number(std::string_view what, std::string_view text);

// Lists of counts and of sizes, in the order given: 4,8,16; every number of 2..64; 8..16MiB*2, each
// twice the one before; and commas between all of these.
[[nodiscard]] std::vector<std::uint32_t> parse_counts(std::string_view what, std::string_view text,
                                                      std::uint32_t max = 0xfffffffeU);
[[nodiscard]] std::vector<std::uint64_t> parse_byte_list(std::string_view what,
                                                         std::string_view text);

// 1us, 2.5ms, 300ns, 0.1s, 0, or seconds with an exponent: 1e-6. Other bare numbers are refused.
[[nodiscard]] double parse_time_s(std::string_view what, std::string_view text);

// Bytes per second: 10Gbps (bits), 1.25GBps (bytes), 12GiBps.
[[nodiscard]] double parse_rate(std::string_view what, std::string_view text);

// Seconds per byte: a rate such as 10Gbps, or a time for each byte as parse_time_s() reads it.
[[nodiscard]] double parse_s_per_byte(std::string_view what, std::string_view text);

}  // namespace tutti::inline base
