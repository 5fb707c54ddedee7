#include "sim/messages/message_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace sim {

NetworkRoute route_of_message(Network& network, std::span<const std::uint32_t> host_of_rank,
                              const Op& op) {
  auto* const messages = dynamic_cast<MessageNetwork*>(&network);
  return messages != nullptr ? messages->route_of(op)
                             : network.route(host_of_rank[op.src()], host_of_rank[op.dst()]);
}

MessageNetwork::MessageNetwork(std::shared_ptr<Network> platform,
                               std::vector<std::uint32_t> host_of_rank, const MessageModel& model,
                               double nearest_latency_s)
    : platform_(std::move(platform)),
      host_of_rank_(std::move(host_of_rank)),
      model_(model),
      nearest_latency_s_(nearest_latency_s),
      ranks_(static_cast<std::uint32_t>(host_of_rank_.size())) {
  links_.reserve(first_of_platform() + platform_->links().size());
  const auto add = [this](std::size_t count, double capacity_bytes_per_s) {
    links_.insert(links_.end(), count, {capacity_bytes_per_s, false});
  };
  add(2 * std::size_t{ranks_}, model.rank_bytes_per_s);
  add(ranks_, model.long_bytes_per_s);
  add(ranks_, model.node_rank_bytes_per_s);
  add(platform_->hosts(), model.node_bytes_per_s);
  add(2 * std::size_t{platform_->hosts()}, model.host_bytes_per_s);
  take_links();
}

void MessageNetwork::take_links() {
  const std::vector<NetworkLink>& links = platform_->links();
  for (std::size_t i = links_.size() - first_of_platform(); i < links.size(); ++i) {
    const bool between_switches =
        model_.load > 0 && platform_->is_between_switches(static_cast<std::uint32_t>(i));
    links_.push_back({links[i].capacity_bytes_per_s * (between_switches ? 1 - model_.load : 1),
                      links[i].fatpipe});
  }
}

NetworkRoute MessageNetwork::route_of(const Op& op) {
  const std::uint32_t from = host_of_rank_[op.src()];
  const std::uint32_t to = host_of_rank_[op.dst()];
  const Protocol protocol = protocol_of(model_, op.bytes());
  hops_.clear();
  if (from == to) {
    hops_.emplace_back(within(from), 1, 0);
    hops_.emplace_back(from_own_host(op.dst()), 1, 0);
    return {figures_of(nullptr, true, protocol), hops_};
  }
  const NetworkRoute route = platform_->route(from, to);
  take_links();
  hops_.emplace_back(sends(op.src()), 1, 0);
  hops_.emplace_back(receives(op.dst()), 1, 0);
  if (protocol == Protocol::both_ways) {
    hops_.emplace_back(both_ways(op.src()), 1, 0);
    hops_.emplace_back(both_ways(op.dst()), 1, 0);
  }
  take_route(from, to, route);
  return {figures_of(route.figures, false, protocol), hops_};
}

void MessageNetwork::take_route(std::uint32_t from_host, std::uint32_t to_host,
                                const NetworkRoute& route) {
  if (std::isfinite(model_.host_bytes_per_s)) {
    hops_.emplace_back(leaves(from_host), 1, 0);
    hops_.emplace_back(enters(to_host), 1, 0);
  }
  for (const Hop hop : route.hops) {
    hops_.emplace_back(first_of_platform() + hop.link(), hop.forward(), hop.backward());
  }
}

double MessageNetwork::slowest_link() const {
  double slowest_bytes_per_s = std::numeric_limits<double>::infinity();
  for (const Hop hop : hops_) {
    slowest_bytes_per_s = std::min(
        slowest_bytes_per_s, links_[hop.link()].capacity_bytes_per_s / hop.consumption(false));
  }
  return slowest_bytes_per_s;
}

const RouteFigures* MessageNetwork::figures_of(const RouteFigures* of_platform, bool within_host,
                                               Protocol protocol) {
  double slowest_bytes_per_s = 0;
  if (model_.load > 0) {
    slowest_bytes_per_s = slowest_link();
  }
  const Kind key{of_platform, within_host, protocol, slowest_bytes_per_s};
  if (key == last_) [[likely]] {
    return last_figures_;
  }
  const RouteFigures*& known = known_[key];
  if (known == nullptr) {
    RouteFigures figures;
    figures.latency_s =
        within_host ? model_.node_latency_s : model_.latency_s + wire_latency_s(*of_platform);
    if (protocol == Protocol::buffered && !within_host) {
      figures.latency_s += model_.buffered_s;
    } else if (protocol >= Protocol::medium) {
      figures.latency_s += within_host ? model_.node_handshake_s : model_.handshake_s;
    }
    figures.alone_bytes_per_s = protocol == Protocol::medium && !within_host
                                    ? model_.medium_bytes_per_s
                                    : std::numeric_limits<double>::infinity();
    figures.alone_bytes_per_s = std::min(figures.alone_bytes_per_s, slowest_link());
    known = figures_.keep(figures);
  }
  last_ = key;
  last_figures_ = known;
  return known;
}

double MessageNetwork::wire_latency_s(const RouteFigures& of_platform) const {
  return model_.wire_latency_factor * std::max(0.0, of_platform.latency_s - nearest_latency_s_);
}

MessagePart MessageNetwork::limit_of(std::uint32_t link) const {
  if (link >= first_of_platform()) {
    return MessagePart::none;
  }
  constexpr std::array kOfRank{MessagePart::rank_rate, MessagePart::rank_rate,
                               MessagePart::long_rate, MessagePart::node_rank_rate};
  if (link < 4 * ranks_) {
    return kOfRank.at(link / ranks_);
  }
  return link < leaves(0) ? MessagePart::node_rate : MessagePart::host_rate;
}

MessagePart MessageNetwork::limit_of_route(bool within_host, Protocol protocol) const {
  const double slowest_bytes_per_s = slowest_link();
  if (protocol == Protocol::medium && !within_host &&
      model_.medium_bytes_per_s < slowest_bytes_per_s) {
    return MessagePart::medium_rate;
  }
  MessagePart limit = MessagePart::none;
  for (const Hop hop : hops_) {
    if (links_[hop.link()].capacity_bytes_per_s / hop.consumption(false) == slowest_bytes_per_s) {
      limit = limit_of(hop.link());  // links of the platform come last, and take precedence
    }
  }
  return limit;
}

MessageTimes MessageNetwork::times_of(const Op& op, const MessageWaits& waits) {
  const bool within_host = host_of_rank_[op.src()] == host_of_rank_[op.dst()];
  const Protocol protocol = protocol_of(model_, op.bytes());
  const MessageEnds ends = ends_of(op);
  MessageTimes times;
  const auto add = [&times](MessagePart part, double seconds) {
    if (seconds > 0) {
      times.before.push_back({part, seconds});
    }
  };
  const auto core = [&](MessagePart between_hosts, double overhead_s) {
    return within_host && model_.node_overhead_s < overhead_s ? MessagePart::node_core
                                                              : between_hosts;
  };
  add(MessagePart::busy_core, waits.core_s);
  add(core(MessagePart::sender_core, model_.send_overhead_s), ends.send_s);
  add(MessagePart::busy_interface, waits.interface_s);
  add(MessagePart::busy_connection, waits.connection_s);
  add(MessagePart::peer_switch, waits.switches ? ends.switch_s : 0);
  add(MessagePart::eager_copies, ends.buffered_s);
  if (protocol >= Protocol::medium) {
    add(within_host ? MessagePart::node_handshake : MessagePart::handshake,
        within_host ? model_.node_handshake_s : model_.handshake_s);
  } else if (protocol == Protocol::buffered && !within_host) {
    add(MessagePart::buffers, model_.buffered_s);
  }
  if (within_host) {
    add(MessagePart::node_latency, model_.node_latency_s);
  } else {
    const auto figures = platform_->route(host_of_rank_[op.src()], host_of_rank_[op.dst()]).figures;
    add(MessagePart::wire_latency, wire_latency_s(*figures));
    add(MessagePart::latency, model_.latency_s);
  }
  (void)route_of(op);
  times.limit = limit_of_route(within_host, protocol);
  times.received = {core(MessagePart::receiver_core, model_.receive_overhead_s), ends.receive_s};
  return times;
}

MessageEnds MessageNetwork::ends_of(const Op& op) const {
  MessageEnds ends = ends_of_empty(host_of_rank_[op.src()] == host_of_rank_[op.dst()]);
  const auto bytes = static_cast<double>(op.bytes());
  if (bytes <= model_.eager_bytes) {
    // The receiver's core copies the message out of a buffer. The copy at the sender does not
    // delay its next message: network cards read all but short messages by themselves.
    ends.buffered_s = bytes * model_.eager_s_per_byte / 2;
    ends.receive_s += ends.buffered_s;
  }
  return ends;
}

MessageEnds MessageNetwork::ends_of_empty(bool within_host) const {
  const double most_s =
      within_host ? model_.node_overhead_s : std::numeric_limits<double>::infinity();
  return {.send_s = std::min(model_.send_overhead_s, most_s),
          .switch_s = within_host ? 0 : model_.peer_switch_s,
          .switch_waits = !within_host && ranks_ > model_.connections,
          .gap_s = within_host ? 0 : model_.host_gap_s,
          .receive_s = std::min(model_.receive_overhead_s, most_s)};
}

std::string MessageNetwork::link_name(std::uint32_t link) const {
  if (link >= first_of_platform()) {
    return platform_->link_name(link - first_of_platform());
  }
  if (link >= leaves(0)) {
    return link < enters(0) ? fmt::format("host {} sends", link - leaves(0))
                            : fmt::format("host {} receives", link - enters(0));
  }
  if (link >= 4 * ranks_) {
    return fmt::format("memory of host {}", link - 4 * ranks_);
  }
  constexpr const char* kWhat[] = {"rank {} sends", "rank {} receives",
                                   "rank {} sends and receives", "rank {} receives from its host"};
  return fmt::format(fmt::runtime(kWhat[link / ranks_]), link % ranks_);
}

LinkPlace MessageNetwork::link_place(std::uint32_t link) {
  if (link >= first_of_platform()) {
    return platform_->link_place(link - first_of_platform());
  }
  return {link_name(link), fmt::format("the limit {}", parameters_of(limit_of(link)).front())};
}

NetworkRoute MessageNetwork::find_route(std::uint32_t src_host, std::uint32_t dst_host) {
  const bool within_host = src_host == dst_host;
  const RouteFigures* of_platform = nullptr;
  hops_.clear();
  if (within_host) {
    hops_.emplace_back(within(src_host), 1, 0);
  } else {
    const NetworkRoute route = platform_->route(src_host, dst_host);
    take_links();
    of_platform = route.figures;
    take_route(src_host, dst_host, route);
  }
  const double rate_of_rank = within_host ? model_.node_rank_bytes_per_s : model_.rank_bytes_per_s;
  const double alone_bytes_per_s = std::min(slowest_link(), rate_of_rank);
  const RouteFigures*& known = least_[{of_platform, alone_bytes_per_s}];
  if (known == nullptr) {
    const MessageEnds ends = ends_of_empty(within_host);
    RouteFigures figures;
    figures.latency_s =
        ends.send_s + ends.receive_s +
        (within_host ? model_.node_latency_s : model_.latency_s + wire_latency_s(*of_platform));
    figures.alone_bytes_per_s = alone_bytes_per_s;
    known = figures_.keep(figures);
  }
  return {known, hops_};
}

}}  // namespace tutti::sim
