// The hosts that have ranks, and what a message can do there. Alike hosts (Network::alike_hosts())
// with the same number of ranks are of one kind and share these figures, so that a million hosts at
// one switch need only the routes of one of them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "platforms/network.hpp"

namespace tutti::inline cost_models {

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

  // Latency of a message between two different hosts of these kinds.
  [[nodiscard]] double latency_s(std::uint32_t from_kind, std::uint32_t to_kind) const {
    return latencies_s_[std::size_t{from_kind} * figures_.size() + to_kind];
  }
  // Lowest latency of a message between two hosts; infinity if there is only one host.
  [[nodiscard]] double least_latency_s() const { return least_latency_s_; }
  [[nodiscard]] bool free_transfers() const { return free_transfers_; }

 private:
  void find_kinds(std::span<const std::uint32_t> alike_hosts,
                  std::span<const std::uint32_t> ranks_of_number);
  void add_routes(Network& network);
  void add_own_routes(Network& network);

  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> kinds_;  // by index of the host
  std::vector<std::uint32_t> host_of_rank_;
  std::vector<HostFigures> figures_;
  std::vector<std::uint32_t> firsts_;   // by kind
  std::vector<std::uint32_t> seconds_;  // by kind; equal to the first if there is only one host
  std::vector<double> latencies_s_;
  double least_latency_s_ = std::numeric_limits<double>::infinity();
  bool all_alike_ = true;
  bool free_transfers_ = false;
};

}  // namespace tutti::inline cost_models
