// Places ranks on a platform and describes the part of the platform that the ranks use, whether or
// not SimGrid loaded the platform.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/platform.hpp"
#include "platforms/platform_changes.hpp"

namespace tutti { inline namespace platforms {

// The interface of a platform through which ranks are placed and links are changed. Hosts are
// numbered in the order of the XML.
class PlatformView {
 public:
  struct Route {
    double latency_s = 0;
    double bandwidth_bytes_per_s = 0;  // lowest bandwidth of its links; infinity without links
  };
  // The route from a host to itself.
  struct LoopbackRoute {
    double latency_s = 0;
    std::vector<std::string> links;
    double first_bandwidth_bytes_per_s = 0;  // bandwidth of the first link
  };

  PlatformView() = default;
  PlatformView(const PlatformView&) = default;
  PlatformView& operator=(const PlatformView&) = default;
  virtual ~PlatformView() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;  // the file's name, or "crossbar:64"
  // The path that the user gave, for error messages.
  [[nodiscard]] virtual std::string_view path() const = 0;
  // Remarks for the user on how the platform's file was read, one sentence each.
  [[nodiscard]] virtual std::span<const std::string> notes() const { return {}; }
  [[nodiscard]] virtual std::uint32_t host_count() const = 0;
  [[nodiscard]] virtual std::string host_name(std::uint32_t host) const = 0;
  [[nodiscard]] virtual double speed_flops_per_s(std::uint32_t host) const = 0;
  [[nodiscard]] virtual std::uint32_t cores(std::uint32_t host) const = 0;
  // The next two functions throw UserError if there is no route. The message names the hosts.
  [[nodiscard]] virtual Route route(std::uint32_t from, std::uint32_t to) const = 0;
  [[nodiscard]] virtual LoopbackRoute own_route(std::uint32_t host) const = 0;
  // Multiplies all latencies by `slower`, and divides all bandwidths by `narrower`.
  virtual void scale_links(double slower, double narrower) = 0;
  // Applies changes to the part of the platform that `hosts` (ascending) use. Throws UserError for
  // links or hosts that the platform does not have.
  virtual void change(const PlatformChanges& changes, std::span<const std::uint32_t> hosts) = 0;
};

struct RankPlaces {
  std::vector<std::uint32_t> host_of_rank;
  PlatformFacts facts;  // with the overrides and the changes applied
  // Work per reduced byte. The user's gamma and changes of gamma scale this number, because the
  // speeds of hosts stay unchanged.
  double flops_per_byte = 0;
  // True if the user's beta is 0, so that the time of a message is only its latency.
  bool free_transfers = false;
};

// Returns the host of each rank. The platform must have enough hosts.
[[nodiscard]] std::vector<std::uint32_t> hosts_of_ranks(const Mapping& mapping);
// Returns the hosts that have ranks, ascending.
[[nodiscard]] std::vector<std::uint32_t> hosts_in_use(const Mapping& mapping);

// Places ranks, then applies the user's prices, then the changes. Prices and changes modify the
// links of the platform, so if there are any, no other call may use the same platform. Throws
// UserError if the ranks do not fit, if there is no route between two hosts in use, or if a price
// cannot be applied.
[[nodiscard]] RankPlaces place_ranks(PlatformView& platform, const Mapping& mapping,
                                     const PriceOverrides& overrides, std::uint32_t element_bytes,
                                     const PlatformChanges& changes = {});

// Throws UserError, which says that there is no route between two hosts, or from a host to itself.
[[noreturn]] void refuse_missing_route(std::string_view path, std::string_view from,
                                       std::string_view to);

}}  // namespace tutti::platforms
