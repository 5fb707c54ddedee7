// What if a platform were otherwise? Changes that the user asks for, made to a platform that is
// loaded: the result is what its XML would say if it were edited.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/link_place.hpp"

namespace tutti::inline platforms {

// All links that `which` names have so many times their bandwidth and their latency.
struct LinkChange {
  // Some words of a class ("up-links", for "leaf up-links"), or a name, SimGrid's or that for
  // people, with * for any part of it; "": all links.
  std::string which;
  double bandwidth = 1;
  double latency = 1;
  std::string from;  // as the user wrote it, for messages: "--slow-link 'l*0.5'"

  friend bool operator==(const LinkChange&, const LinkChange&) = default;
};

// A host computes at so many times its speed, and its links have so many times their bandwidth.
struct HostChange {
  std::string which;  // its number in the order of the platform, or its name
  double speed = 1;
  std::string from;

  friend bool operator==(const HostChange&, const HostChange&) = default;
};

struct PlatformChanges {
  std::vector<LinkChange> links;
  std::vector<HostChange> hosts;
  bool unshared = false;  // each link gives each message its whole bandwidth
  double gamma = 1;       // a byte reduced takes so many times as long

  [[nodiscard]] bool of_network() const { return !links.empty() || !hosts.empty() || unshared; }
  [[nodiscard]] bool any() const { return of_network() || gamma != 1; }
  friend bool operator==(const PlatformChanges&, const PlatformChanges&) = default;
};

// A platform as changes see it: things to look for by what they are called.
struct ChangeablePlatform {
  std::string_view path;  // for messages
  std::uint32_t links = 0;
  std::uint32_t hosts = 0;
  std::function<std::string(std::uint32_t link)> link_name;
  std::function<LinkPlace(std::uint32_t link)> link_place;
  std::function<std::string(std::uint32_t host)> host_name;
  std::function<std::vector<std::uint32_t>(std::uint32_t host)> links_of_host;
};

struct LinkFactors {
  double bandwidth = 1;
  double latency = 1;
};

struct ChangeFactors {
  std::vector<LinkFactors> of_link;
  std::vector<double> of_host;  // speeds; empty: none changes
};

// Throws UserError for a link, a class or a host that the platform does not have; which names those
// that it has.
[[nodiscard]] ChangeFactors factors_of(const PlatformChanges& changes,
                                       const ChangeablePlatform& platform);

// Whether `which` (of LinkChange) means a link of this name at this place.
[[nodiscard]] bool means_link(std::string_view which, std::string_view name,
                              const LinkPlace& place);

}  // namespace tutti::inline platforms
