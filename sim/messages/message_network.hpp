// A platform as the messages of an MPI library use it: its links, and before them what a rank can
// send and receive, whatever the links could carry (sim/messages/message_model.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "platforms/network.hpp"
#include "platforms/route_pricing.hpp"
#include "schedules/op.hpp"
#include "sim/messages/message_model.hpp"

namespace tutti::inline sim {

// Where a rank's message waits for its turn, and for how long it holds what it waits for.
struct MessageEnds {
  double send_s = 0;      // of the sender's core
  double switch_s = 0;    // to another receiver than before; nobody is held up meanwhile
  double gap_s = 0;       // of the sender's host, to the network; 0 within a host
  double buffered_s = 0;  // through buffers; nobody is held up meanwhile
  double receive_s = 0;   // of the receiver's core
};

// The route of a message on any network.
[[nodiscard]] NetworkRoute route_of_message(Network& network,
                                            std::span<const std::uint32_t> host_of_rank,
                                            const Op& op);

class MessageNetwork final : public Network {
 public:
  // `nearest_latency_s`: of the platform's route between two hosts at one switch.
  MessageNetwork(std::shared_ptr<Network> platform, std::vector<std::uint32_t> host_of_rank,
                 const MessageModel& model, double nearest_latency_s);

  // The route of a message: it depends on its size too. Its latency holds what its protocol adds.
  [[nodiscard]] NetworkRoute route_of(const Op& op);
  [[nodiscard]] MessageEnds ends_of(const Op& op) const;
  [[nodiscard]] std::uint32_t host_of(Rank rank) const { return host_of_rank_[rank]; }

  [[nodiscard]] NetworkHost host(std::uint32_t index) const override {
    return {platform_->host(index).speed_flops_per_s, ranks_};  // each has a core to itself
  }
  [[nodiscard]] std::uint32_t hosts() const override { return platform_->hosts(); }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) override;

 private:
  // Of the platform alone: what the ends of a message add depends on its size.
  [[nodiscard]] NetworkRoute find_route(std::uint32_t src_host, std::uint32_t dst_host) override;

  // Links that the platform lacks: of each rank, and of each host.
  [[nodiscard]] std::uint32_t sends(Rank rank) const { return rank; }
  [[nodiscard]] std::uint32_t receives(Rank rank) const { return ranks_ + rank; }
  [[nodiscard]] std::uint32_t both_ways(Rank rank) const { return 2 * ranks_ + rank; }
  [[nodiscard]] std::uint32_t from_own_host(Rank rank) const { return 3 * ranks_ + rank; }
  [[nodiscard]] std::uint32_t within(std::uint32_t host) const { return 4 * ranks_ + host; }
  [[nodiscard]] std::uint32_t first_of_platform() const { return 4 * ranks_ + platform_->hosts(); }

  // Of the last route, for one message alone.
  [[nodiscard]] double slowest_link() const;
  [[nodiscard]] const RouteFigures* figures_of(const RouteFigures* of_platform, bool within_host,
                                               Protocol protocol);
  // Those that the platform has found since.
  void take_links();

  std::shared_ptr<Network> platform_;
  std::vector<std::uint32_t> host_of_rank_;
  MessageModel model_;
  double nearest_latency_s_;
  std::uint32_t ranks_;
  std::vector<Hop> hops_;  // of the last route
  // Of routes that are alike: also in how fast their slowest link is, since a load slows down some
  // of those that the platform's figures call alike.
  using Kind = std::tuple<const RouteFigures*, bool, Protocol, double>;
  std::map<Kind, const RouteFigures*> known_;
  Kind last_;
  const RouteFigures* last_figures_ = nullptr;
  FiguresTable figures_;
};

}  // namespace tutti::inline sim
