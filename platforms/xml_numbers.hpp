// Parses attributes of platform files exactly as SimGrid 3.32 does, to the last bit. The functions
// return nothing for unusual notation, which is left to SimGrid.
#pragma once

#include <pugixml.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace tutti::inline platforms {

inline constexpr std::uint64_t kMostXmlHosts = 1U << 22U;

[[nodiscard]] bool is_xml_digit(char c);
// "10Gbps", "1.25GBps": bytes per second.
[[nodiscard]] std::optional<double> xml_bandwidth(std::string_view text);
// "0.5us": seconds.
[[nodiscard]] std::optional<double> xml_latency(std::string_view text);
// "1Gf": flops per second.
[[nodiscard]] std::optional<double> xml_speed(std::string_view text);
// A whole number up to `most`, written with digits only.
[[nodiscard]] std::optional<std::uint32_t> xml_whole(std::string_view text, std::uint64_t most);
// "0-7,10,12-15"; nothing if a host occurs twice.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> xml_radicals(std::string_view text);
// True if `node` has only known attributes, and their values contain only characters that every XML
// parser reads alike.
[[nodiscard]] bool plain_attributes(const pugi::xml_node& node,
                                    std::initializer_list<std::string_view> known);

}  // namespace tutti::inline platforms
