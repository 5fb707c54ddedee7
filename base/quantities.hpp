// Numbers as users write them: sizes, times, rates, and lists of them.
//
// The argument `what` names the value for error messages (an option's name, such as "-n/--bytes").
// Every function throws UserError for an invalid value. The message contains `what`, the value, and
// what is accepted, or offers corrections that the same function accepts. Units may follow a blank
// (64 MiB), and characters such as µ, ×, a no-break space or a long dash are read like the ASCII
// characters that they resemble.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace base {

// Largest size of a message in a schedule: a little less than 16 TiB.
inline constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 44U) - 1;

// Reads a count such as 64: digits only, at most `max`.
[[nodiscard]] std::uint32_t parse_count(std::string_view what, std::string_view text,
                                        std::uint32_t max = 0xfffffffeU);

// Like parse_count(), but refuses 0.
[[nodiscard]] std::uint32_t parse_positive_count(std::string_view what, std::string_view text,
                                                 std::uint32_t max = 0xfffffffeU);

// Reads a size such as 512, 1K (or 1KiB, which is 1024), 1.5MiB, 2G or 15TiB. A size must be less
// than 16 TiB.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view what, std::string_view text);

// Reads a number such as 0, 1 or 0.25: digits with at most one decimal point, and no sign.
[[nodiscard]] double parse_number(std::string_view what, std::string_view text);

// Reads a percentage such as 80% or 99.5%, which must be above 0% and below 100%. Returns 0.8 for
// 80%.
[[nodiscard]] double parse_percentage(std::string_view what, std::string_view text);

// Reads a list of counts or sizes, and keeps its order. The list consists of single values and
// ranges, separated by commas: 4,8,16, or 2..64 (every number), or 8..16MiB*2 (each value is twice
// the previous one).
[[nodiscard]] std::vector<std::uint32_t> parse_counts(std::string_view what, std::string_view text,
                                                      std::uint32_t max = 0xfffffffeU);
[[nodiscard]] std::vector<std::uint64_t> parse_byte_list(std::string_view what,
                                                         std::string_view text);

// Reads a time such as 1us, 2.5ms, 300ns, 0.1s, 30min, 1h or 0. A number of seconds with an
// exponent, such as 1e-6, needs no unit; other numbers, except 0, do.
// `likely`: the unit that the message for a missing unit suggests.
[[nodiscard]] double parse_time_s(std::string_view what, std::string_view text,
                                  std::string_view likely = "us");

// Reads a rate such as 10Gbps, 10Gb/s or 10Gbit/s (bits), 1.25GBps or 1.25GB/s (bytes) or 12GiBps.
// Returns bytes per second.
[[nodiscard]] double parse_rate(std::string_view what, std::string_view text);

// Reads the cost of a byte, written either as a rate such as 10Gbps or as a time such as 0.8ns or
// 0.8ns/B.
// Returns seconds per byte.
[[nodiscard]] double parse_s_per_byte(std::string_view what, std::string_view text);

}}  // namespace tutti::base
