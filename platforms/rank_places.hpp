// Where ranks run on a platform, and what their part of it is like, whoever loaded it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/platform.hpp"
#include "platforms/platform_changes.hpp"

namespace tutti::inline platforms {

// What placing ranks has to know of a platform, and to change in it. Hosts are counted in the order
// of the XML.
class PlatformView {
 public:
  struct Route {
    double latency_s = 0;
    double bandwidth_bytes_per_s = 0;  // of the narrowest link; infinity without links
  };
  // The way of a host to itself.
  struct OwnRoute {
    double latency_s = 0;
    std::vector<std::string> links;
    double first_bandwidth_bytes_per_s = 0;  // of the first of them
  };

  PlatformView() = default;
  PlatformView(const PlatformView&) = default;
  PlatformView& operator=(const PlatformView&) = default;
  virtual ~PlatformView() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;  // the file's, or "crossbar:64"
  [[nodiscard]] virtual std::string_view path() const = 0;  // as the user gave it, for messages
  [[nodiscard]] virtual std::uint32_t host_count() const = 0;
  [[nodiscard]] virtual double speed_flops_per_s(std::uint32_t host) const = 0;
  [[nodiscard]] virtual std::uint32_t cores(std::uint32_t host) const = 0;
  // Both throw UserError naming the hosts if there is no route.
  [[nodiscard]] virtual Route route(std::uint32_t from, std::uint32_t to) const = 0;
  [[nodiscard]] virtual OwnRoute own_route(std::uint32_t host) const = 0;
  // Makes all latencies so many times as long, all bandwidths so many times as narrow.
  virtual void scale_links(double slower, double narrower) = 0;
  // As far as ranks are on `hosts`, which ascend. Throws UserError for what it does not have.
  virtual void change(const PlatformChanges& changes, std::span<const std::uint32_t> hosts) = 0;
};

struct RankPlaces {
  std::vector<std::uint32_t> host_of_rank;
  PlatformFacts facts;  // after the overrides and the changes
  // Work of a reduction. With either it is scaled, since hosts keep their speed.
  double flops_per_byte = 0;
  // The user's beta is 0: messages take their latency only.
  bool free_transfers = false;
};

// The host of each rank, by the order of the platform, which has as many as they need.
[[nodiscard]] std::vector<std::uint32_t> hosts_of_ranks(const Mapping& mapping);
// Those that any rank is on, ascending.
[[nodiscard]] std::vector<std::uint32_t> hosts_in_use(const Mapping& mapping);

// Places ranks and applies the user's prices, and then the changes; where there are any, the links
// change, so that it is called once. Throws UserError when ranks do not fit, when there is no route
// between two hosts in use, or when a price cannot be applied.
[[nodiscard]] RankPlaces place_ranks(PlatformView& platform, const Mapping& mapping,
                                     const PriceOverrides& overrides, std::uint32_t element_bytes,
                                     const PlatformChanges& changes = {});

// Two hosts, or one host and itself, have no route.
[[noreturn]] void refuse_missing_route(std::string_view path, std::string_view from,
                                       std::string_view to);

}  // namespace tutti::inline platforms
