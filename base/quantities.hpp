// Numbers as users write them: sizes, times, rates, and lists of them.
//
// The argument `what` names the value for messages (an option's name, such as "-n/--bytes"). Every
// function throws UserError, which says `what`, the invalid value, and what is accepted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline base {

// Largest size of a message in a schedule: a little less than 16 TiB.
inline constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 44U) - 1;

// Reads a count such as 64: digits only, at most `max`.
[[nodiscard]] std::uint32_t parse_count(std::string_view what, std::string_view text,
                                        std::uint32_t max = 0xfffffffeU);

// Reads a size such as 512, 1K = 1KiB = 1024, 1.5MiB, 2G or 15TiB: less than 16 TiB.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view what, std::string_view text);

// Reads 0, 1 or 0.25: digits with at most one decimal point, not negative.
[[nodiscard]] double parse_number(std::string_view what, std::string_view text);

// Reads a list of counts or sizes, in the order given: single values (4,8,16), ranges (2..64: every
// number; 8..16MiB*2: each twice the one before), or a mixture, separated by commas.
[[nodiscard]] std::vector<std::uint32_t> parse_counts(std::string_view what, std::string_view text,
                                                      std::uint32_t max = 0xfffffffeU);
[[nodiscard]] std::vector<std::uint64_t> parse_byte_list(std::string_view what,
                                                         std::string_view text);

// Reads a time: 1us, 2.5ms, 300ns, 0.1s, 0, or seconds with an exponent, as in 1e-6. Throws on
// other numbers without a unit.
[[nodiscard]] double parse_time_s(std::string_view what, std::string_view text);

// Reads a rate, in bytes per second: 10Gbps (bits), 1.25GBps (bytes), 12GiBps.
[[nodiscard]] double parse_rate(std::string_view what, std::string_view text);

// Reads a price in seconds per byte, given as a rate such as 10Gbps, or as a time per byte in the
// form of parse_time_s().
[[nodiscard]] double parse_s_per_byte(std::string_view what, std::string_view text);

}  // namespace tutti::inline base
