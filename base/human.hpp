// Numbers formatted for people.
#pragma once

#include <cstdint>
#include <string>

namespace tutti { inline namespace base {

// Returns a time such as "1.61376 ms", with six digits and a suitable unit. Returns "0 s" for 0.
[[nodiscard]] std::string human_time(double seconds);
// Returns a size such as "1 MiB", "1000 bytes" or "13.67 MiB".
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);
// Returns a rate such as "1.25 GB/s".
[[nodiscard]] std::string human_rate(double bytes_per_s);
// Returns the count with separators for thousands, such as "195,840".
[[nodiscard]] std::string human_count(std::uint64_t count);
// Returns the count with the noun in singular or plural: "1 message", "2 messages", "1 copy", "2
// copies".
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& noun);
// Returns "equal to" for a relative difference of up to 1e-9, else "12.3 % above", "50.0 % below"
// or "2.1e-07 % below".
[[nodiscard]] std::string human_difference(double relative);
// Returns a factor such as "1.08", "23.4" or "1,250".
[[nodiscard]] std::string human_factor(double factor);

}}  // namespace tutti::base
