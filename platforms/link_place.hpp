// Where a link is, in words for people: what it is called beside its name in SimGrid.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::inline platforms {

// Links between the same two switches in the same direction.
struct ParallelLinks {
  std::uint32_t count = 1;
  std::uint32_t first = 0;  // the lowest of their numbers, if there are several

  friend bool operator==(const ParallelLinks&, const ParallelLinks&) = default;
};

// Hosts are counted in the order of the platform.
struct LinkPlace {
  std::string name;   // "up-link 3 of leaf switch 2 (hosts 16-23)"
  std::string group;  // what links of one kind have in common: "leaf up-links"
  ParallelLinks parallel = {};

  friend bool operator==(const LinkPlace&, const LinkPlace&) = default;
};

// Classes that several kinds of platforms have.
inline constexpr const char* kLinks = "links";  // of which no more is known
inline constexpr const char* kHostLinks = "host links";
inline constexpr const char* kInnerLinks = "inner links";
inline constexpr const char* kLoopbacks = "loopbacks";

// "host 3", "hosts 0-7", "hosts 0, 4-5"; a few runs of them, and how many more there are.
// `hosts`: ascending, each once.
[[nodiscard]] std::string hosts_in_words(std::span<const std::uint32_t> hosts);
[[nodiscard]] std::string hosts_in_words(std::uint32_t first, std::uint32_t count);

// The place of a link of which no more is known than the pairs of hosts, from and to, whose routes
// cross it: "from hosts 0-7 to the others". `hosts`: all that there are to be in pairs, ascending.
[[nodiscard]] LinkPlace place_by_use(std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs,
                                     std::span<const std::uint32_t> hosts);

}  // namespace tutti::inline platforms
