// The hosts that have ranks, and what a message can do there. Alike hosts (Network::alike_hosts())
// with the same number of ranks are of one kind and share these figures, so that a million hosts at
// one switch need only the routes of one of them. If the network has groups that can be exchanged,
// hosts with the same place in such groups are of one kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cost_models/bounds/nested_hosts.hpp"
#include "platforms/network.hpp"

namespace tutti { inline namespace cost_models {

struct HostFigures {
  std::uint32_t ranks = 0;
  // Rate of the fastest message to another host, from another host, and between two ranks of the
  // host. Infinity if only latencies limit messages.
  double send_bytes_per_s = 0;
  double receive_bytes_per_s = 0;
  double own_bytes_per_s = 0;
  // Bytes per second between the ranks of the host, all messages together. Infinity if there is no
  // such limit.
  double own_capacity_bytes_per_s = std::numeric_limits<double>::infinity();
  double own_latency_s = 0;
  // Lowest latencies of any message to another host, and from another host.
  double send_latency_s = std::numeric_limits<double>::infinity();
  double receive_latency_s = std::numeric_limits<double>::infinity();
};

// Limits of the ranks themselves, beside the links of the network. None applies by default.
struct RankLimits {
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  std::uint32_t ports = 0;     // of each rank, each for one message at a time; 0: unlimited
  double bytes_per_s = kNone;  // that a rank sends to other hosts, and that it receives from them
  double own_bytes_per_s = kNone;  // that a rank receives from the ranks of its own host
  // Least time for which a message occupies the core of its sender, and that of its receiver:
  // between two hosts, and within a host.
  double send_s = 0;
  double receive_s = 0;
  double own_send_s = 0;
  double own_receive_s = 0;
  double host_gap_s = 0;  // least time between two messages that leave a host

  [[nodiscard]] bool limit_rates() const { return ports > 0 || bytes_per_s < kNone; }
  // Bytes per second that all ranks of the host together send to other hosts, or receive from them.
  // Infinity if there is no such limit.
  [[nodiscard]] double of_host(const HostFigures& host, bool sends) const {
    const double by_ports = ports == 0
                                ? kNone
                                : double{1} * ports * host.ranks *
                                      (sends ? host.send_bytes_per_s : host.receive_bytes_per_s);
    return std::min(by_ports, host.ranks * bytes_per_s);
  }
};

class HostsInUse {
 public:
  // Throws what Network::route() throws if there is no route. `free_transfers`: bytes take no time.
  HostsInUse(Network& network, std::span<const std::uint32_t> host_of_rank, bool free_transfers);

  // The hosts, by ascending number, have the indices 0 to size() - 1.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(numbers_.size()); }
  [[nodiscard]] std::uint32_t number(std::uint32_t host) const { return numbers_[host]; }
  // Index of the host of each rank.
  [[nodiscard]] const std::vector<std::uint32_t>& host_of_rank() const { return host_of_rank_; }
  [[nodiscard]] const HostFigures& of(std::uint32_t host) const { return figures_[kinds_[host]]; }

  [[nodiscard]] std::uint32_t kind(std::uint32_t host) const { return kinds_[host]; }
  // Figures of each kind of host.
  [[nodiscard]] const std::vector<HostFigures>& kinds() const { return figures_; }
  [[nodiscard]] std::uint32_t first_of_kind(std::uint32_t kind) const { return firsts_[kind]; }
  // True if all hosts are alike, whatever their number of ranks.
  [[nodiscard]] bool all_alike() const { return all_alike_; }
  // True if the network has groups that can be exchanged.
  [[nodiscard]] bool has_groups() const { return nested_.levels() > 1; }
  [[nodiscard]] const NestedHosts& nested() const { return nested_; }

  // Latency of a message between two different hosts of these kinds, which are together in a group
  // of the partition `level` of nested(), and of no partition before.
  [[nodiscard]] double latency_s(std::uint32_t level, std::uint32_t from_kind,
                                 std::uint32_t to_kind) const {
    return latencies_s_[(std::size_t{level} * figures_.size() + from_kind) * figures_.size() +
                        to_kind];
  }
  // Lowest latency of a message between one of the hosts and a host that is none of them; infinity
  // if there is no other host. `hosts` must be ascending.
  [[nodiscard]] double least_latency_s(std::span<const std::uint32_t> hosts, bool hosts_send) const;
  // Lowest latency of a message between two hosts; infinity if there is only one host.
  [[nodiscard]] double least_latency_s() const { return least_latency_s_; }
  [[nodiscard]] bool free_transfers() const { return free_transfers_; }

 private:
  void find_kinds(const Network& network, std::span<const std::uint32_t> ranks_of_number);
  void add_routes(Network& network);
  void add_own_routes(Network& network);
  void count_kinds();

  struct KindCount {
    std::uint32_t kind = 0;
    std::uint32_t hosts = 0;
  };

  std::vector<std::uint32_t> numbers_;
  NestedHosts nested_;
  std::vector<std::uint32_t> kinds_;  // by index of the host
  std::vector<std::uint32_t> host_of_rank_;
  std::vector<HostFigures> figures_;
  std::vector<std::uint32_t> firsts_;   // by kind
  std::vector<std::uint32_t> seconds_;  // by kind; equal to the first if there is only one host
  std::vector<double> latencies_s_;     // by level and two kinds
  // By level and group of nested(): the kinds of its hosts.
  std::vector<std::vector<std::vector<KindCount>>> kinds_of_group_;
  double least_latency_s_ = std::numeric_limits<double>::infinity();
  bool all_alike_ = true;
  bool free_transfers_ = false;
};

}}  // namespace tutti::cost_models
