// A platform as seen by the messages of an MPI library: its links, and additional links that limit
// what a rank can send and receive (sim/messages/message_model.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "platforms/network.hpp"
#include "platforms/route_pricing.hpp"
#include "schedules/op.hpp"
#include "sim/flow_record.hpp"
#include "sim/messages/message_model.hpp"
#include "sim/messages/message_parts.hpp"

namespace tutti { inline namespace sim {

// Times that a message spends at its two ends.
struct MessageEnds {
  double send_s = 0;    // time on the sender's core
  double switch_s = 0;  // time to switch connections to another receiver; delays only this message
  bool switch_waits = false;  // true if the switch waits for the rank's previous switch
  double gap_s = 0;           // time on the network interface of the sender's host; 0 within a host
  double buffered_s = 0;      // time in buffers; delays only this message
  double receive_s = 0;       // time on the receiver's core
};

// Returns the route of a message on any kind of network.
[[nodiscard]] NetworkRoute route_of_message(Network& network,
                                            std::span<const std::uint32_t> host_of_rank,
                                            const Op& op);

class MessageNetwork final : public Network {
 public:
  // `nearest_latency_s` is the latency of the platform's route between two hosts at one switch.
  MessageNetwork(std::shared_ptr<Network> platform, std::vector<std::uint32_t> host_of_rank,
                 const MessageModel& model, double nearest_latency_s);

  // Returns the route of a message, which depends on the size of the message. The latency includes
  // that of the protocol.
  [[nodiscard]] NetworkRoute route_of(const Op& op);
  [[nodiscard]] MessageEnds ends_of(const Op& op) const;
  // Returns those of a message without bytes, which no message has less of.
  [[nodiscard]] MessageEnds ends_of_empty(bool within_host) const;
  // Returns the parts of the message's time, without contention for links. `waits` is what the
  // message waited for in a run.
  [[nodiscard]] MessageTimes times_of(const Op& op, const MessageWaits& waits);
  // Returns the rate that an additional link stands for; none for a link of the platform.
  [[nodiscard]] MessagePart limit_of(std::uint32_t link) const;
  [[nodiscard]] std::uint32_t host_of(Rank rank) const { return host_of_rank_[rank]; }

  [[nodiscard]] NetworkHost host(std::uint32_t index) const override {
    return {platform_->host(index).speed_flops_per_s, ranks_};  // each rank has its own core
  }
  [[nodiscard]] std::uint32_t hosts() const override { return platform_->hosts(); }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) override;
  [[nodiscard]] std::vector<std::uint32_t> alike_hosts() const override {
    return platform_->alike_hosts();
  }
  [[nodiscard]] std::vector<ExchangeableGroups> exchangeable_groups() const override {
    return platform_->exchangeable_groups();
  }
  [[nodiscard]] bool is_between_switches(std::uint32_t link) override {
    return link >= first_of_platform() &&
           platform_->is_between_switches(link - first_of_platform());
  }

 private:
  // Returns what no message between these hosts can do without, whatever its size: the links of the
  // platform, or the memory of the host; the latency of the cheapest protocol, with the work of
  // both cores; and the rate that no single message exceeds. Lower bounds are made of this.
  [[nodiscard]] NetworkRoute find_route(std::uint32_t src_host, std::uint32_t dst_host) override;

  // Numbers of the additional links, which the platform does not have: four per rank and three per
  // host.
  [[nodiscard]] std::uint32_t sends(Rank rank) const { return rank; }
  [[nodiscard]] std::uint32_t receives(Rank rank) const { return ranks_ + rank; }
  [[nodiscard]] std::uint32_t both_ways(Rank rank) const { return 2 * ranks_ + rank; }
  [[nodiscard]] std::uint32_t from_own_host(Rank rank) const { return 3 * ranks_ + rank; }
  [[nodiscard]] std::uint32_t within(std::uint32_t host) const { return 4 * ranks_ + host; }
  [[nodiscard]] std::uint32_t leaves(std::uint32_t host) const {
    return 4 * ranks_ + platform_->hosts() + host;
  }
  [[nodiscard]] std::uint32_t enters(std::uint32_t host) const {
    return leaves(host) + platform_->hosts();
  }
  [[nodiscard]] std::uint32_t first_of_platform() const { return enters(platform_->hosts()); }

  // Returns the additional latency of a route beyond that between hosts at one switch.
  [[nodiscard]] double wire_latency_s(const RouteFigures& of_platform) const;
  // Returns what limits the rate of a single message on the most recent route.
  [[nodiscard]] MessagePart limit_of_route(bool within_host, Protocol protocol) const;
  // Returns the bandwidth of the slowest link of the most recent route, for a single message.
  [[nodiscard]] double slowest_link() const;
  [[nodiscard]] const RouteFigures* figures_of(const RouteFigures* of_platform, bool within_host,
                                               Protocol protocol);
  // Adds the links that the platform has found since the last call.
  void take_links();
  // Adds the hops of a route of the platform, and the limits of its two hosts.
  void take_route(std::uint32_t from_host, std::uint32_t to_host, const NetworkRoute& route);

  std::shared_ptr<Network> platform_;
  std::vector<std::uint32_t> host_of_rank_;
  MessageModel model_;
  double nearest_latency_s_;
  std::uint32_t ranks_;
  std::vector<Hop> hops_;  // hops of the most recent route
  // Figures by route kind. The kind includes the speed of the slowest link, because routes with the
  // same figures on the platform may differ in this speed if other jobs load some links.
  using Kind = std::tuple<const RouteFigures*, bool, Protocol, double>;
  std::map<Kind, const RouteFigures*> known_;
  Kind last_;
  const RouteFigures* last_figures_ = nullptr;
  std::map<std::pair<const RouteFigures*, double>, const RouteFigures*> least_;
  FiguresTable figures_;
};

}}  // namespace tutti::sim
