// Lower bounds on the time of a collective on a given network, each with a certificate: a fact
// about the network from which the bound follows, and which a person can check.
//
// The bounds hold for every schedule whose messages begin and end at ranks, with rendezvous or
// eager sends. They do not hold if switches reduce or multicast. If the latency or the price of a
// byte depends on the message's size, the network must have those of the cheapest message, and must
// not have ports.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "cost_models/bounds/hosts_in_use.hpp"
#include "platforms/network.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace cost_models {

enum class BoundKind : std::uint8_t {
  bytes,       // the links
  rounds,      // latencies
  ports,       // the ports of ranks
  reductions,  // the cores
};
inline constexpr std::array<std::string_view, 4> kBoundKinds{"bytes", "rounds", "ports",
                                                             "reductions"};
[[nodiscard]] constexpr std::string_view name(BoundKind kind) {
  return kBoundKinds[static_cast<std::size_t>(kind)];
}

// The fact from which a bound follows.
enum class Certificate : std::uint8_t {
  none,     // no limit of this kind
  rounds,   // `amount` rounds, each of which takes at least the start-up time
  postal,   // data must reach `amount` units, each of which begins at most `rate` messages a second
  route,    // the route from hosts[0] to hosts[1]
  cut,      // `hosts` must send, or receive, `amount` bytes over `limits`
  groups,   // `groups` groups of hosts must send each other `amount` bytes
  ranks,    // all ranks must send each other `amount` bytes
  host,     // the ranks of hosts[0] must send, or receive, `amount` bytes
  rank,     // `rank` must send, or receive, `amount` bytes
  lengths,  // the links have lengths, and each byte must cover the distance of its hosts
  doubling,  // blocks must come together at one rank, or spread from it; a message at most doubles
             // what a rank has, and the `amount` is that of all blocks but one
  messages,  // all ranks must send each other `amount` bytes in `messages` messages
  work,      // `amount` bytes must be reduced
};
inline constexpr std::array<std::string_view, 13> kCertificates{
    "none", "rounds", "postal",  "route",    "cut",      "groups", "ranks",
    "host", "rank",   "lengths", "doubling", "messages", "work"};
[[nodiscard]] constexpr std::string_view name(Certificate form) {
  return kCertificates[static_cast<std::size_t>(form)];
}

// Something that limits the bytes: a link of the network, or the ports of a host.
struct BoundLimit {
  enum class Kind : std::uint8_t { link, send_ports, receive_ports };
  Kind kind = Kind::link;
  std::uint32_t of = 0;  // number of the link, or of the host
  double capacity_bytes_per_s = 0;
  double length = 1;  // in Certificate::lengths

  friend bool operator==(const BoundLimit&, const BoundLimit&) = default;
};

// A bound is startup_s + amount / rate, in Certificate::rounds amount * startup_s, and in
// Certificate::postal that of the postal model (combined_bounds.hpp).
struct BoundPart {
  BoundKind kind = BoundKind::bytes;
  Certificate form = Certificate::none;
  double seconds = 0;
  // The shortest latency of a message that counts; or the latencies of `messages` messages, one
  // after the other. In Certificate::messages, all ports share these messages.
  double startup_s = 0;
  std::uint64_t messages = 1;
  double amount = 0;
  double rate = 0;
  double bytes = 0;                       // in Certificate::lengths: `amount` without the lengths
  std::vector<std::uint32_t> hosts = {};  // numbers in the network, ascending in a cut
  bool hosts_send = false;                // true: `hosts` or `rank` send; false: they receive
  std::uint32_t groups = 0;
  Rank rank = 0;
  bool of_hosts = false;  // in Certificate::postal: the units are hosts; false: ranks
  std::vector<BoundLimit> limits = {};
  // In Certificate::lengths: other lengths may give a bound that is longer by this share, but no
  // more.
  double open_share = 0;
};

struct NetworkBound {
  // The best bound of each kind, by BoundKind.
  std::array<BoundPart, 4> parts;
  std::uint32_t hosts = 0;  // that have ranks

  [[nodiscard]] const BoundPart& of(BoundKind kind) const {
    return parts[static_cast<std::size_t>(kind)];
  }
  // The part with the longest time. Each kind is a bound by itself. The sum of kinds is not,
  // because their times may overlap.
  [[nodiscard]] const BoundPart& deciding() const;
  [[nodiscard]] double seconds() const { return deciding().seconds; }
};

struct BoundMachine {
  std::vector<std::uint32_t> host_of_rank;
  RankLimits ranks{.ports = 1};
  double flops_per_byte = 0.1;  // work of a reduction
  // The same for vectors of a number of bytes, if it depends on that; replaces flops_per_byte.
  std::function<double(std::uint64_t)> flops_per_byte_for = {};
  bool free_transfers = false;  // true: the time of a message is only its latency
  // Partitions of the hosts into groups, by host number, from which certificates may be taken, such
  // as the leaf switch of each host.
  std::vector<std::vector<std::uint32_t>> groups_of_hosts;
};

enum class BoundSearch : std::uint8_t {
  // Only cuts around hosts and known groups of hosts, and lengths in proportion to the time of a
  // byte; takes 0.1 s at most.
  quick,
  all,  // also searches for the tightest cuts, and for the best lengths; may take seconds
};

// Finds bounds on one network, for any number of problems.
class NetworkBounds {
 public:
  // The network must outlive the object. Throws what Network::route() throws if hosts are not
  // connected.
  NetworkBounds(Network& network, BoundMachine machine);
  ~NetworkBounds();
  NetworkBounds(NetworkBounds&&) noexcept;

  // The problem must have as many ranks as the machine.
  [[nodiscard]] NetworkBound of(const Problem& problem, BoundSearch search = BoundSearch::all);

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}}  // namespace tutti::cost_models
