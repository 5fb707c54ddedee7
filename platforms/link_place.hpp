// Describes the place of a link in words, in addition to its name in SimGrid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti { inline namespace platforms {

// Links with consecutive numbers; none by default.
struct LinkRange {
  std::uint32_t first = 0xffffffffU;
  std::uint32_t end = 0xffffffffU;

  [[nodiscard]] std::uint32_t size() const { return end - first; }
  // Return the number of a link that is not in the range if links of the range are not counted, and
  // the link with such a number.
  [[nodiscard]] std::uint32_t number(std::uint32_t link) const {
    return link < first ? link : link - size();
  }
  [[nodiscard]] std::uint32_t link(std::uint32_t number) const {
    return number < first ? number : number + size();
  }
};

// Parallel links between the same two switches in the same direction.
struct ParallelLinks {
  std::uint32_t count = 1;
  std::uint32_t first = 0;  // lowest link number among the parallel links, if there are several

  friend bool operator==(const ParallelLinks&, const ParallelLinks&) = default;
};

// The place of a link. Hosts are numbered in the order of the platform.
struct LinkPlace {
  std::string name;   // such as "up-link 3 of leaf switch 2 (hosts 16-23)"
  std::string group;  // name of the link's class, such as "leaf up-links"
  ParallelLinks parallel = {};

  friend bool operator==(const LinkPlace&, const LinkPlace&) = default;
};

// Names of link classes that occur on several kinds of platforms.
inline constexpr const char* kLinks = "links";  // links of unknown kind
inline constexpr const char* kHostLinks = "host links";
inline constexpr const char* kInnerLinks = "inner links";
inline constexpr const char* kLoopbacks = "loopbacks";
inline constexpr const char* kLimiters = "limiter links";  // both directions of a host share one
inline constexpr const char* kBackbones = "backbones";
inline constexpr const char* kGlobalLinks = "global links";  // of a dragonfly
inline constexpr const char* kBlackLinks = "black local links";
inline constexpr const char* kGreenLinks = "green local links";

// Returns "host 3", "hosts 0-7" or "hosts 0, 4-5". Lists only the first few runs of consecutive
// hosts, then the number of all other hosts. `hosts` must be ascending without duplicates.
[[nodiscard]] std::string hosts_in_words(std::span<const std::uint32_t> hosts);
[[nodiscard]] std::string hosts_in_words(std::uint32_t first, std::uint32_t count);

// With more hosts, links are not described by their use, because that would take long.
inline constexpr std::size_t kMostHostsOfPlaces = 256;

// Describes a link by the (from, to) pairs of hosts whose routes cross the link: "from hosts 0-7 to
// the others". `hosts` lists all hosts that pairs can contain, in ascending order.
[[nodiscard]] LinkPlace place_by_use(std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs,
                                     std::span<const std::uint32_t> hosts);

// Describes a link that a file or SimGrid names by its name and its use. The class of links that
// SimGrid makes for a <cluster>, such as limiters, follows from the name. With more than
// kMostHostsOfPlaces hosts, the use is not described, and `pairs` may be empty.
[[nodiscard]] LinkPlace place_by_name(const std::string& name,
                                      std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs,
                                      std::span<const std::uint32_t> hosts);

}}  // namespace tutti::platforms
