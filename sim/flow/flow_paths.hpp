// The path of each flow, and the flow's amount of data or work. Both are computed whenever they are
// needed rather than stored with each flow, because there may be millions of flows.
#pragma once

#include <cstdint>
#include <span>

#include "platforms/network.hpp"
#include "schedules/cost_curves.hpp"
#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"
#include "sim/flow/path_cache.hpp"
#include "sim/flow/workplaces.hpp"
#include "sim/messages/message_network.hpp"
#include "sim/symmetry/quotient_network.hpp"

namespace tutti { inline namespace sim {

// The path of a flow. It is valid until the next path is computed.
class FlowPath {
 public:
  FlowPath(const RouteFigures& figures, std::span<const Hop> hops, std::uint32_t first_link)
      : figures_(&figures), hops_(hops), first_link_(first_link) {}

  [[nodiscard]] const RouteFigures& figures() const { return *figures_; }
  [[nodiscard]] std::span<const Hop> hops() const { return hops_; }
  [[nodiscard]] std::uint32_t link(Hop hop) const { return first_link_ + hop.link(); }
  // Bandwidth that the flow uses on a shared link, per unit of level.
  [[nodiscard]] double claim(Hop hop) const { return hop.consumption(false) * figures_->weight; }
  // The level at which the flow runs at full speed. Links with higher levels do not hold the flow
  // back.
  [[nodiscard]] double own_level() const { return figures_->alone_bytes_per_s / figures_->weight; }

 private:
  const RouteFigures* figures_;
  std::span<const Hop> hops_;
  std::uint32_t first_link_;
};

// Computes the paths of flows. Links are numbered in this order: the shared cores of hosts, if
// there are any, then the links of the network.
class FlowPaths {
 public:
  // `measured`: costs of operations, used in place of the platform's prices; null: the platform's
  // prices are used.
  FlowPaths(const Schedule& schedule, const OpPrices* measured, Network& network,
            const FlowSetup& flow_setup, Disturbance disturbance);

  [[nodiscard]] const Workplaces& workplaces() const { return workplaces_; }
  // Returns the network if it is a MessageNetwork, else null.
  [[nodiscard]] const MessageNetwork* messages() const { return messages_; }
  [[nodiscard]] std::uint32_t core_links() const { return core_links_; }
  // Number of links. It grows when a path leads over a link that no earlier path used.
  [[nodiscard]] std::size_t links() const { return core_links_ + network_.links().size(); }
  [[nodiscard]] const NetworkLink& link(std::uint32_t index) const {
    return index < core_links_ ? workplaces_.core_links()[index]
                               : network_.links()[index - core_links_];
  }

  // Returns the path of a message, or of local work on shared cores.
  [[nodiscard]] FlowPath of(OpId id) {
    const Op& op = schedule_.op(id);
    const std::uint32_t host = setup_.host_of_rank[op.dst()];
    if (!op.is_comm()) {
      core_hop_ = Hop(host, 1, 0);
      return {workplaces_.core_figures(host), {&core_hop_, 1}, 0};
    }
    const std::uint32_t from = setup_.host_of_rank[op.src()];
    if (messages_ != nullptr) [[unlikely]] {
      const NetworkRoute route = cache_.route(id, [&] { return messages_->route_of(op); });
      return {*route.figures, route.hops, core_links_};
    }
    const NetworkRoute route = crossbar_ != nullptr ? crossbar_->computed_route(from, host)
                               : quotient_ != nullptr
                                   ? quotient_->route_of(id)
                                   : cache_.route(id, [&] { return network_.route(from, host); });
    return {*route.figures, route.hops, core_links_};
  }

  // True if paths are computed on demand, because computing them costs less than looking them up.
  [[nodiscard]] bool are_computed() const { return crossbar_ != nullptr; }

  // Tells the cache how many messages are under way.
  void expect(std::size_t messages) {
    if (crossbar_ == nullptr) {
      cache_.expect(messages);
    }
  }

  // See PathCache::keep_few().
  void keep_few(bool few) { cache_.keep_few(few); }

  [[nodiscard]] double latency_s(OpId id, const FlowPath& path) const {
    return (measured_ == nullptr ? path.figures().latency_s : measured_->lines[id].fixed_s) *
           disturbance_.factor(id);
  }
  // True if the message has data to transfer after its latency.
  [[nodiscard]] bool flows(OpId id, const FlowPath& path) const {
    return schedule_.op(id).bytes() > 0 && !setup_.free_transfers && !path.hops().empty() &&
           (measured_ == nullptr || factor(id, path) > 0);
  }
  // Returns the bytes of a message, or the floating-point operations of local work.
  [[nodiscard]] double amount(OpId id, const FlowPath& path) const {
    const Op& op = schedule_.op(id);
    if (!op.is_comm()) {
      return local_work(id);
    }
    const double bytes = static_cast<double>(op.bytes()) * disturbance_.factor(id);
    return measured_ == nullptr ? bytes : bytes * factor(id, path);
  }

  // Returns the floating-point operations of a reduction or a copy.
  [[nodiscard]] double local_work(OpId id) const {
    const Op& op = schedule_.op(id);
    if (measured_ != nullptr) {
      return measured_->seconds(id, op) * workplaces_.speed_flops_per_s(op.rank()) *
             disturbance_.factor(id);
    }
    const double bytes = static_cast<double>(op.bytes()) * disturbance_.factor(id);
    if (op.rank() >= schedule_.ranks()) [[unlikely]] {
      return op.kind() == OpKind::reduce ? bytes * setup_.switch_s_per_byte : 0;
    }
    return op.kind() == OpKind::reduce
               ? bytes * setup_.flops_per_byte
               : bytes * setup_.copy_s_per_byte * workplaces_.speed_flops_per_s(op.rank());
  }

 private:
  // Factor on a message's bytes, such that the transfer has its measured duration if the message is
  // alone on its route.
  [[nodiscard]] double factor(OpId id, const FlowPath& path) const {
    return measured_->lines[id].s_per_byte * path.figures().alone_bytes_per_s *
           path.figures().efficiency;
  }

  const Schedule& schedule_;
  Network& network_;
  // Each of these three is the network if the network has that type, else null.
  CrossbarNetwork* crossbar_;
  const QuotientNetwork* quotient_;
  MessageNetwork* messages_;
  const FlowSetup& setup_;
  const OpPrices* measured_;
  Disturbance disturbance_;
  Workplaces workplaces_;
  std::uint32_t core_links_;
  Hop core_hop_;
  PathCache cache_;
};

}}  // namespace tutti::sim
