// Parses attributes of platform files exactly as SimGrid 3.32 does, to the last bit. The functions
// return nothing for unusual notation; only SimGrid can then read the file.
#pragma once

#include <pugixml.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace tutti { inline namespace platforms {

inline constexpr std::uint64_t kMostXmlHosts = 1U << 22U;
inline constexpr std::uint64_t kMostXmlCores = 1U << 20U;  // of a host

[[nodiscard]] bool is_xml_digit(char c);
// Returns bytes per second for a text such as "10Gbps" or "1.25GBps".
[[nodiscard]] std::optional<double> xml_bandwidth(std::string_view text);
// Returns seconds for a text such as "0.5us".
[[nodiscard]] std::optional<double> xml_latency(std::string_view text);
// Returns flops per second for a text such as "1Gf".
[[nodiscard]] std::optional<double> xml_speed(std::string_view text);
// Returns the value of a whole number up to `most` that is written with digits only.
[[nodiscard]] std::optional<std::uint32_t> xml_whole(std::string_view text, std::uint64_t most);
// Returns the numbers in a list such as "0-7,10,12-15"; nothing if a number occurs twice.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> xml_radicals(std::string_view text);
// True if `node` has only known attributes, and their values contain only characters that every XML
// parser reads alike.
[[nodiscard]] bool plain_attributes(const pugi::xml_node& node,
                                    std::initializer_list<std::string_view> known);

}}  // namespace tutti::platforms
