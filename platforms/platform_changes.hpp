// What-if changes to a loaded platform. The result is the same as if the user had edited its XML.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/link_place.hpp"

namespace tutti { inline namespace platforms {

// Factors on the bandwidth and the latency of all links that `which` names.
struct LinkChange {
  // Either words from the name of a class of links ("up-links" matches "leaf up-links"), or the
  // name of a link, in which * matches any text. Both SimGrid's name of the link and its name in
  // words are accepted. Empty: all links.
  std::string which;
  double bandwidth = 1;
  double latency = 1;
  std::string from;  // the user's option, for error messages, such as "--slow-link 'l*0.5'"

  friend bool operator==(const LinkChange&, const LinkChange&) = default;
};

// Factor on the speed of a host and on the bandwidth of its links.
struct HostChange {
  std::string which;  // number of the host in the order of the platform, or its name
  double speed = 1;
  std::string from;

  friend bool operator==(const HostChange&, const HostChange&) = default;
};

struct PlatformChanges {
  std::vector<LinkChange> links;
  std::vector<HostChange> hosts;
  bool unshared = false;  // true if each link gives each message its whole bandwidth
  double gamma = 1;       // factor on the time to reduce a byte

  [[nodiscard]] bool of_network() const { return !links.empty() || !hosts.empty() || unshared; }
  [[nodiscard]] bool any() const { return of_network() || gamma != 1; }
  friend bool operator==(const PlatformChanges&, const PlatformChanges&) = default;
};

// The properties of a platform from which factors_of() finds the links and hosts that a change
// names.
struct ChangeablePlatform {
  std::string_view path;  // for error messages
  std::uint32_t links = 0;
  LinkRange unused = {};  // links that matter only for the question whether a link exists
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
  std::vector<double> of_host;  // factors on the speeds; empty: no speed changes
};

// Returns the factors for each link and each host. Throws UserError for a link, class or host that
// the platform does not have; the message lists what the platform has.
[[nodiscard]] ChangeFactors factors_of(const PlatformChanges& changes,
                                       const ChangeablePlatform& platform);

// True if `which` (see LinkChange) matches a link with this name and place.
[[nodiscard]] bool means_link(std::string_view which, std::string_view name,
                              const LinkPlace& place);

}}  // namespace tutti::platforms
